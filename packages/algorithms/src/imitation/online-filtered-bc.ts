// Online filtered behaviour cloning imitates the best episodes that the policy itself has played. Source: baseline of Zhou et al. 2024,
// arXiv:2402.19446; the rule (0.9-quantile over all episodes ever played) from the authors' code at 7c771a7. The paper describes a
// filter over recent episodes: `filter.window`. With `filter.minReturn` and several samples of each task it is the expert iteration of
// STaR (Zelikman et al. 2022, arXiv:2203.14465, section 3.1) without its hints, and it continues from the last policy, where STaR
// trains the initial one again.
import { Type } from '@sinclair/typebox';
import {
  episodicReturn,
  fraction,
  group,
  integer,
  mean,
  optional,
  quantile,
  ReplayBuffer,
  unitOptions,
  type OptionsOf,
  type Rng,
  type Trajectory,
} from '@bowyer/core';
import { summedBatch } from '../learning/learning-options.js';
import { neverTrains, policyRate, warmedUpActor } from '../learning/policy-rate.js';
import { packTurns } from '../learning/pack-turns.js';
import { groupSizeOption, wholeGroups } from '../rollout/collect-groups.js';
import { rolloutMetrics } from '../rollout/episode-metrics.js';
import { loopOptions } from '../rollout/loop-options.js';
import type { PlayOptions } from '../rollout/player.js';
import { insertTurns, rewardMetrics, type ReplayItem } from '../rollout/replay.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import type { TrainingRun } from '../run/training-run.js';

const options = unitOptions({
  ...loopOptions({ iterations: 2000 }, { group_size: groupSizeOption(1) }),
  batch: summedBatch('turns'),
  actor: warmedUpActor(
    { lr: 1e-5, warmupIterations: 20 },
    { steps: integer(3, 'optimizer steps on the policy per iteration', { flat: 'actor_epochs' }) },
  ),
  filter: group(
    {
      quantile: fraction(0.9, 'episodes with a return at or above this quantile are imitated', {
        flat: 'filter_quantile',
      }),
      window: optional(
        integer,
        'number of iterations, counted back from the newest, whose episodes the filter sees; null: all',
        { flat: 'filter_window' },
      ),
      min_return: optional(
        () => Type.Number(),
        'episodes with a smaller return are never imitated, even where the quantile lies below it; 1: only solved tasks, where a ' +
          'reward of 1 is for them; null: no bound',
        { flat: 'filter_min_return' },
      ),
      capacity: integer(
        100_000,
        'largest number of turns of the kept episodes that are imitated; if there are more, the newest',
        { flat: 'capacity' },
      ),
    },
    'which episodes are imitated',
  ),
});

type FilteredBcOptions = OptionsOf<typeof options> & PlayOptions;

export const onlineFilteredBc = defineAlgorithm({
  name: 'online_filteredbc',
  description: 'online filtered behaviour cloning: imitates the best episodes that the policy itself has played',
  options,

  async train(run, options) {
    const history = [...run.history];

    for await (const iteration of run.iterations()) {
      const rollout = await run.collect(iteration, { groupSize: options.rollout.groupSize });
      for (const episode of rollout) history.push(episode);
      const { window, quantile: share, minReturn } = options.filter;
      if (window !== null) history.splice(0, history.length - window * options.rollout.size);
      const metrics: Metrics = { ...rolloutMetrics(rollout), ...rewardMetrics(rollout) };

      // Keep the best episodes, with all ties at the cutoff.
      const cutoff = Math.max(quantile(history.map(episodicReturn), share), minReturn ?? -Infinity);
      const isKept = (trajectory: Trajectory) => episodicReturn(trajectory) >= cutoff;
      const kept = history.filter(isKept);
      metrics['filter/cutoff'] = cutoff;
      metrics['filter/kept_share'] = kept.length / history.length;
      metrics['filter/acceptance_rate'] = rollout.filter(isKept).length / rollout.length;

      if (iteration >= options.actor.warmupIterations && kept.length > 0)
        Object.assign(
          metrics,
          await imitate(run, kept, run.updateRng(iteration), run.stepScale * policyRate(iteration, options), options),
        );

      await run.endIteration(iteration, metrics, rollout);
    }
  },

  problems: (options) => [...neverTrains(options), ...wholeGroups(options)],
  frozenIterations: ({ actor }) => actor.warmupIterations,
  trainsWithChoices: ['scored', 'constrained'],
  offPolicyRollouts: () => [],
});

/** Takes `actor.steps` steps on L = −mean Σ_t log π(a_t | s, a_<t), on turns drawn with replacement from the kept episodes. */
async function imitate(
  { policy, hooks }: TrainingRun,
  kept: readonly Trajectory[],
  rng: Rng,
  lr: number,
  { actor, batch: { size, accumulationSteps, reduction }, filter }: FilteredBcOptions,
): Promise<Metrics> {
  const { steps, maxGradNorm, scoreTerminator } = actor;
  const buffer = new ReplayBuffer<ReplayItem>(filter.capacity);
  insertTurns(buffer, kept);
  const losses: number[] = [];
  const norms: number[] = [];
  const gradientScale = reduction === 'mean' ? 1 / accumulationSteps : 1;
  for (let step = 0; step < steps; step++) {
    for (let micro = 0; micro < accumulationSteps; micro++) {
      const batch = buffer.sample(size, rng);
      const { examples } = packTurns(
        batch.map((item) => ({ ...item, weight: 1 / batch.length })),
        { scoreTerminator },
      );
      losses.push((await policy.accumulateGradients(examples)).loss);
    }
    const { gradientNorm } = await policy.optimizer.step({ lr, maxGradNorm, gradientScale });
    norms.push(gradientNorm);
    hooks.progress('imitation', step + 1, steps);
  }
  return { 'losses/nll': mean(losses), 'optim/policy_gradient_norm': mean(norms), 'optim/lm_lr': lr };
}
