// Online filtered behaviour cloning: imitate the best episodes that the policy itself has played.
// Source: baseline of Zhou et al. 2024, arXiv:2402.19446; the rule (0.9-quantile over all episodes ever played) from the
// authors' code at 7c771a7. The paper describes a filter over recent episodes: `filterWindow`.
// With `filterMinReturn` and several samples of each task it is the expert iteration of STaR (Zelikman et al. 2022,
// arXiv:2203.14465, section 3.1) without its hints, and with the policy trained further rather than again from its start.
import { Type } from '@sinclair/typebox';
import {
  count,
  episodicReturn,
  mean,
  nullable,
  quantile,
  ReplayBuffer,
  type Rng,
  share,
  type OptionsOf,
  type Trajectory,
} from '@bowyer/core';
import { gradientAccumulationKeys } from '../learning/gradient-accumulation.js';
import { neverTrains, policyKeys, policyRate } from '../learning/policy-rate.js';
import { packTurns } from '../learning/pack-turns.js';
import { groupKeys, wholeGroups } from '../rollout/collect-groups.js';
import { rolloutMetrics } from '../rollout/episode-metrics.js';
import { evalDecodingKey, loopKeys } from '../rollout/loop-keys.js';
import type { PlayOptions } from '../rollout/player.js';
import { insertTurns, rewardMetrics, type ReplayItem } from '../rollout/replay.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import type { TrainingRun } from '../run/training-run.js';

const options = Type.Object(
  {
    ...loopKeys,
    ...evalDecodingKey,
    ...policyKeys,
    ...gradientAccumulationKeys('turns'),
    capacity: count('largest number of turns of the kept episodes that are imitated; if there are more, the newest'),
    filter_quantile: share('episodes with a return at or above this quantile are imitated'),
    filter_window: nullable(
      count('iterations'),
      'number of iterations, counted back from the newest, whose episodes the filter sees; null: all',
    ),
    filter_min_return: nullable(
      Type.Number(),
      'episodes with a smaller return are never imitated, even where the quantile lies below it; null: no bound',
    ),
    group_size: groupKeys.group_size,
  },
  { additionalProperties: false },
);

type FilteredBcOptions = OptionsOf<typeof options> & PlayOptions;

export const onlineFilteredBc = defineAlgorithm({
  name: 'online_filteredbc',
  description: 'online filtered behaviour cloning: imitates the best episodes that the policy itself has played',
  options,

  async train(run, options) {
    const history = [...run.history];

    for await (const iteration of run.iterations()) {
      const rollout = await run.collect(iteration, { groupSize: options.groupSize });
      for (const episode of rollout) history.push(episode);
      if (options.filterWindow !== null) history.splice(0, history.length - options.filterWindow * options.rolloutSize);
      const metrics: Metrics = { ...rolloutMetrics(rollout), ...rewardMetrics(rollout) };

      // Keep the best episodes; ties at the cutoff all stay.
      const cutoff = Math.max(
        quantile(history.map(episodicReturn), options.filterQuantile),
        options.filterMinReturn ?? -Infinity,
      );
      const isKept = (trajectory: Trajectory) => episodicReturn(trajectory) >= cutoff;
      const kept = history.filter(isKept);
      metrics['filter/cutoff'] = cutoff;
      metrics['filter/kept_share'] = kept.length / history.length;
      metrics['filter/acceptance_rate'] = rollout.filter(isKept).length / rollout.length;

      // Nothing to imitate: no episode has reached the smallest return.
      if (iteration >= options.warmupIter && kept.length > 0)
        Object.assign(
          metrics,
          await imitate(run, kept, run.updateRng(iteration), run.stepScale * policyRate(iteration, options), options),
        );

      await run.endIteration(iteration, metrics, rollout);
    }
  },

  problems: (options) => [...neverTrains(options), ...wholeGroups(options)],
  frozenIterations: ({ warmupIter }) => warmupIter,
  trainsWithChoices: ['scored', 'constrained'],
  offPolicyRollouts: () => [],
});

/** `actorEpochs` steps of L = −mean Σ_t log π(a_t | s, a_<t) over turns drawn with replacement from the kept episodes. */
async function imitate(
  { policy, hooks }: TrainingRun,
  kept: readonly Trajectory[],
  rng: Rng,
  lr: number,
  options: FilteredBcOptions,
): Promise<Metrics> {
  const buffer = new ReplayBuffer<ReplayItem>(options.capacity);
  insertTurns(buffer, kept);
  const losses: number[] = [];
  const norms: number[] = [];
  const gradientScale = options.gradReduction === 'mean' ? 1 / options.gradAccumSteps : 1;
  for (let epoch = 0; epoch < options.actorEpochs; epoch++) {
    for (let micro = 0; micro < options.gradAccumSteps; micro++) {
      const batch = buffer.sample(options.batchSize, rng);
      const { examples } = packTurns(
        batch.map((item) => ({ ...item, weight: 1 / batch.length })),
        { scoreTerminator: options.scoreTerminator },
      );
      losses.push((await policy.accumulateGradients(examples)).loss);
    }
    const { gradientNorm } = await policy.optimizer.step({ lr, maxGradNorm: options.maxGradNorm, gradientScale });
    norms.push(gradientNorm);
    hooks.progress('imitation', epoch + 1, options.actorEpochs);
  }
  return { 'losses/nll': mean(losses), 'optim/policy_gradient_norm': mean(norms), 'optim/lm_lr': lr };
}
