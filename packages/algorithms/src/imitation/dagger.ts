// DAgger lets the policy play, asks the environment's expert for its action in the states that the policy reaches, and trains the
// policy to imitate these actions. Source: Ross, Gordon and Bagnell 2011, arXiv:1011.0686, algorithm 3.1.
//
//     play   each turn is the expert's with probability β, else the policy's        π_i = β π* + (1 − β) π̂_i
//     learn  L = −mean over the labels a* of Σ_t log π(a*_t | s, a*_<t), on the episodes of all iterations or of the newest
//
// With expert.labels=all, as in the paper, every state has the expert's reply as its label. This needs contexts without earlier
// actions (context=last); in a dialogue every turn would have to be read again from the episode's beginning.
// With expert.labels=played, for dialogues, the labels are the expert's own turns, and the policy's turns with the same action.
//
// Differs from the paper: β is constant; training continues from the last iteration's weights, where the paper begins again.
import {
  choice,
  fraction,
  group,
  hash32,
  integer,
  optional,
  spokenIds,
  unitOptions,
  type OptionsOf,
  type Trajectory,
} from '@bowyer/core';
import { meanBatch } from '../learning/learning-options.js';
import { onlineActor, policyRate } from '../learning/policy-rate.js';
import { episodeMetrics } from '../rollout/episode-metrics.js';
import { loopOptions } from '../rollout/loop-options.js';
import type { PlayOptions } from '../rollout/player.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import type { TrainingRun } from '../run/training-run.js';
import { cloneLoss } from './bc.js';
import { contextsOf, episodeExamples } from './examples.js';
import { expertPlayer } from './expert-player.js';
import { imitateAtOnce } from './imitate.js';

const options = unitOptions({
  ...loopOptions({ iterations: 50, every: 10, decoding: 'sample' }),
  expert: group(
    {
      share: fraction(
        0.5,
        "β, the chance that a turn of a rollout is the expert's; above 0 with algorithm.expert.labels=played",
        { flat: 'expert_share' },
      ),
      labels: choice(
        ['played', 'all'],
        'played',
        "turns that are trained on: 'played', those that the expert has played and those in which the policy said the same; 'all', every turn, with the reply that the expert would have given, which needs contexts that do not continue each other (context=last, window)",
        { flat: 'labels' },
      ),
    },
    "the environment's expert",
  ),
  window: optional(
    integer,
    'number of iterations, counted back from the newest, whose episodes are trained on; 1: each in the iteration that played it; null: all, as in the paper',
    { flat: 'window' },
  ),
  batch: meanBatch(
    'contexts (an episode is one, unless its turns do not continue each other) or, with algorithm.expert.labels=all, episodes',
    {
      size: 8,
      accumulationSteps: 1,
    },
  ),
  actor: onlineActor(
    { lr: 1e-5 },
    { epochs: integer(1, 'passes over these episodes per iteration', { flat: 'epochs' }) },
  ),
  loss: cloneLoss('replies'),
});

type DaggerOptions = OptionsOf<typeof options> & PlayOptions;

export const dagger = defineAlgorithm({
  name: 'dagger',
  description:
    "DAgger: the policy and the environment's expert share the turns of an episode, and the policy imitates the expert's",
  options,
  needs: { expert: true },
  problems: ({ expert: { labels, share } }) => {
    if (labels !== 'played' || share !== 0) return [];
    const key = 'algorithm.expert.share';
    const message = `${key}=0 with algorithm.expert.labels=played: the expert plays no turn, so that nothing is learned`;
    return [{ key, message, remedy: 'write a share above 0, or algorithm.expert.labels=all' }];
  },

  async train(run, options) {
    const history = [...run.history];

    for await (const iteration of run.iterations()) {
      const rollout = await run.collect(iteration, {
        openPlayer: expertPlayer(run, { slots: options.slots, ...options.expert }),
      });
      for (const episode of rollout) history.push(episode);
      if (options.window !== null) history.splice(0, history.length - options.window * options.rollout.size);
      const metrics: Metrics = { ...episodeMetrics(rollout, 'rollout'), ...agreement(run, rollout, options) };

      Object.assign(metrics, await learn(run, history, iteration, options));

      await run.endIteration(iteration, metrics, rollout);
    }
  },
});

/** Computes the share of turns in which the expert played, or in which the policy chose the expert's action. */
function agreement(
  { policy }: TrainingRun,
  rollout: readonly Trajectory[],
  { expert: { labels } }: DaggerOptions,
): Metrics {
  const agreed = rollout.flatMap(({ segments, transitions }) =>
    segments.flatMap(({ utterances }) =>
      utterances.map(
        (utterance) =>
          !utterance.slip &&
          (labels === 'played' ||
            policy.tokenizer.decode(spokenIds(utterance)).trim() === transitions[utterance.turn].action.trim()),
      ),
    ),
  );
  return { 'expert/agreement': agreed.filter(Boolean).length / agreed.length };
}

async function learn(
  run: TrainingRun,
  episodes: readonly Trajectory[],
  iteration: number,
  options: DaggerOptions,
): Promise<Metrics> {
  const { seed, actor, batch } = options;
  const { epochs, maxGradNorm, scoreTerminator } = actor;
  const items: readonly Pick<Trajectory, 'segments'>[] =
    options.expert.labels === 'all' ? episodes : contextsOf(episodes);
  const learned = items.filter(({ segments }) =>
    segments.some(({ utterances }) => utterances.some(({ slip }) => !slip)),
  );
  const { maskedTokenIds } = run.policy;
  const lr = policyRate(iteration, options);
  const { observationWeight } = options.loss;
  const metrics = await imitateAtOnce(
    run,
    episodeExamples(learned, { scoreTerminator, observationWeight, maskedTokenIds }),
    {
      epochs,
      seed: hash32(`${seed}/learn/${iteration}`),
      actor: { lr, maxGradNorm, schedule: { kind: 'constant', warmupSteps: 0, finalShare: 1 } },
    },
    { batchSize: batch.size * batch.accumulationSteps, parts: batch.accumulationSteps },
  );
  return { ...metrics, 'optim/lm_lr': lr };
}
