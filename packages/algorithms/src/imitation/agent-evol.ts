// AgentEvol explores with the current policy, imitates the episodes that succeeded together with successful demonstrations, and
// repeats both. Source: Xi et al. 2024, AgentGym, arXiv:2406.04151, section 4; the choice of episodes per item and the filter are from
// the authors' code at 3ef9235.
//
//     explore  τ ~ π_θ on the items of all environments, r(τ) ∈ {0, 1}
//     learn    maximise E_{τ ~ D ∪ explored} r(τ) Σ_t log π_θ(a_t | s_t)       D: the demonstrations
//
// Differs from paper and code: the loss is that of behaviour cloning here (bc.ts), a mean over utterances or over learned tokens; an
// iteration's training begins at the weights of the run's start, as in the paper, where the code begins at the untrained base model; an
// episode succeeded if the environment reports it (`won`), or if its return reaches a bound; a demonstration without either counts as
// a success.
import { Type } from '@sinclair/typebox';
import {
  choice,
  episodicReturn,
  group,
  hash32,
  integer,
  mean,
  optional,
  unitOptions,
  type OptionsOf,
  type Trajectory,
} from '@bowyer/core';
import { meanBatch } from '../learning/learning-options.js';
import { steppedActor } from '../learning/policy-rate.js';
import { wholeGroups } from '../rollout/collect-groups.js';
import { rolloutMetrics } from '../rollout/episode-metrics.js';
import { loopOptions } from '../rollout/loop-options.js';
import type { PlayOptions } from '../rollout/player.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { datasetOf, type Dataset, type TrainingRun } from '../run/training-run.js';
import type { Examples } from './examples.js';
import { imitateAtOnce } from './imitate.js';
import { joinedExamples } from './joined-examples.js';

const options = unitOptions({
  ...loopOptions(
    { iterations: 4, every: 1, evalSize: 100, decoding: 'sample' },
    {
      group_size: integer(1, 'episodes played of each item, of which algorithm.rollout.size is a multiple', {
        flat: 'sample_num',
      }),
    },
  ),
  success: group(
    {
      threshold: optional(
        () => Type.Number(),
        'smallest undiscounted return of a success, for demonstrations too; null: the environment says whether an episode was won',
        { flat: 'success_threshold' },
      ),
      per_item: integer(1, 'largest number of successes of one item that are trained on; the first ones are taken', {
        flat: 'successes_per_item',
      }),
      merge: choice(
        ['newest', 'cumulative'],
        'newest',
        'own successes that are trained on beside the demonstrations: those of this iteration (the paper), or of all so far (its code)',
        { flat: 'merge' },
      ),
    },
    'the episodes that are imitated',
  ),
  // AgentGym has 2 micro-batches on each of 8 processes.
  batch: meanBatch('episodes or conversations', { size: 2, accumulationSteps: 16 }),
  actor: steppedActor(
    { lr: 1e-5, schedule: { warmupSteps: -1, finalShare: 0 } },
    {
      learn_from: choice(
        ['start', 'current'],
        'start',
        'weights with which the training of an iteration begins: those of the run’s start (the paper), or the current ones',
        { flat: 'learn_from' },
      ),
      epochs: integer(1, 'passes over the successes per iteration', { flat: 'epochs' }),
    },
    'optimizer steps of an iteration',
  ),
});

type AgentEvolOptions = OptionsOf<typeof options> & PlayOptions;

export const agentEvol = defineAlgorithm({
  name: 'agent_evol',
  description:
    'AgentEvol: imitates the demonstrations and its own episodes that succeeded, in one or more environments',
  options,
  needs: { dataset: true },
  offPolicyRollouts: () => [],
  evaluationMetrics: (_, episodes, options) => byEnvironment('eval/success_rate', episodes, options),

  async train(run, options) {
    const demonstrations = successfulOf(datasetOf(run), options);
    const history = [...run.history];

    for await (const iteration of run.iterations()) {
      const rollout = await run.collect(iteration, { groupSize: options.rollout.groupSize });
      for (const episode of rollout) history.push(episode);
      const metrics: Metrics = { ...rolloutMetrics(rollout), ...successRates(rollout, options) };

      const learnable = options.success.merge === 'newest' ? rollout : history;
      const kept = firstOfEachItem(
        learnable.filter((trajectory) => isSuccess(trajectory, options)),
        options.success.perItem,
      );
      metrics['explore/kept'] = kept.length;
      metrics['explore/demonstrations'] = sizeOf(demonstrations);

      // Learn from the successes and from the demonstrations that succeeded.
      if (options.actor.learnFrom === 'start') await run.restoreStart();
      Object.assign(metrics, await learn(run, joinedExamples(demonstrations, kept, options.actor), iteration, options));

      await run.endIteration(iteration, metrics, rollout);
    }
  },

  problems: wholeGroups,
});

/** Makes `actor.epochs` passes of behaviour cloning over the successes; no pass without a success. */
const learn = (
  run: TrainingRun,
  examples: Examples<unknown>,
  iteration: number,
  { seed, batch, actor }: AgentEvolOptions,
): Promise<Metrics> =>
  imitateAtOnce(
    run,
    examples,
    { seed: hash32(`${seed}/learn/${iteration}`), epochs: actor.epochs, actor },
    { batchSize: batch.size * batch.accumulationSteps, parts: batch.accumulationSteps },
  );

interface SuccessOptions {
  success: Pick<AgentEvolOptions['success'], 'threshold'>;
}

/** Includes demonstrations with an unknown outcome, since files of an expert often have no rewards. */
export function successfulOf(dataset: Dataset, { success: { threshold } }: SuccessOptions): Dataset {
  if (dataset.kind === 'conversations') return dataset;
  const failed = (episode: Trajectory) =>
    threshold === null ? episode.infos.at(-1)?.won === false : episodicReturn(episode) < threshold;
  return { kind: 'episodes', episodes: dataset.episodes.filter((episode) => !failed(episode)) };
}

const sizeOf = (dataset: Dataset): number =>
  dataset.kind === 'episodes' ? dataset.episodes.length : dataset.conversations.length;

/** Throws where the environment does not report success, and the options have no threshold of the return. */
export function isSuccess(trajectory: Trajectory, { success: { threshold } }: SuccessOptions): boolean {
  if (threshold !== null) return episodicReturn(trajectory) >= threshold;
  const { won } = trajectory.infos.at(-1)!;
  if (typeof won === 'boolean') return won;
  throw new Error(
    'agent_evol: the environment does not say whether an episode was won\n' +
      '  give algorithm.success.threshold=X, the smallest return of a success',
  );
}

/** Selects the first `count` episodes of each item. An item is identified by its id, else by the first observation or state text. */
export function firstOfEachItem(trajectories: readonly Trajectory[], count: number): Trajectory[] {
  const seen = new Map<string, number>();
  return trajectories.filter(({ item, transitions, infos }) => {
    const key = JSON.stringify([infos[0].env, item ?? transitions[0].observation]);
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return before < count;
  });
}

const successRates = (trajectories: readonly Trajectory[], options: SuccessOptions): Metrics => ({
  'explore/success_rate': rateOf(trajectories, options),
  ...byEnvironment('explore/success_rate', trajectories, options),
});

const rateOf = (trajectories: readonly Trajectory[], options: SuccessOptions): number =>
  mean(trajectories.map((trajectory) => (isSuccess(trajectory, options) ? 1 : 0)));

/** Computes success rates by environment, from `info.env`, which a mixture of environments sets; none without it. */
function byEnvironment(metric: string, trajectories: readonly Trajectory[], options: SuccessOptions): Metrics {
  const nameOf = ({ infos }: Trajectory) => infos[0].env;
  const names = [...new Set(trajectories.map(nameOf))].filter((name) => typeof name === 'string').sort();
  return Object.fromEntries(
    names.map((name) => [
      `${metric}/${name}`,
      rateOf(
        trajectories.filter((trajectory) => nameOf(trajectory) === name),
        options,
      ),
    ]),
  );
}
