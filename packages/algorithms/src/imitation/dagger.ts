// DAgger: the policy plays, the environment's expert says what it would do in the states that the policy reaches, and the policy
// imitates that.
// Source: Ross, Gordon and Bagnell 2011, arXiv:1011.0686, algorithm 3.1.
//
//     play   each turn is the expert's with probability β, else the policy's        π_i = β π* + (1 − β) π̂_i
//     learn  L = −mean over the labels of Σ_t log π(a*_t | s, a*_<t), on the episodes of all iterations or the newest
//
// labels=all, as in the paper: every state has the expert's reply as its label. That takes contexts that do not contain what was said
// (context=last); in a dialogue every turn would have to be read again from the episode's beginning. labels=played, for dialogues: the
// labels are the turns that the expert has played, and those of the policy in which it said the same, each where it was said.
//
// Differs from it: β is constant; the learning continues from the last iteration's weights, where the paper begins again.
import { Type } from '@sinclair/typebox';
import { count, hash32, nullable, rate, spokenIds, type OptionsOf, type Trajectory } from '@bowyer/core';
import { policyRateFromStart, rateKeys } from '../learning/policy-rate.js';
import { scoreTerminatorKey } from '../learning/pack-turns.js';
import { episodeMetrics } from '../rollout/episode-metrics.js';
import { evalDecodingKey, loopKeys } from '../rollout/loop-keys.js';
import type { PlayOptions } from '../rollout/player.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import type { TrainingRun } from '../run/training-run.js';
import { contextsOf, episodeExamples } from './examples.js';
import { expertPlayer } from './expert-player.js';
import { imitateAtOnce } from './imitate.js';

const options = Type.Object(
  {
    ...loopKeys,
    ...evalDecodingKey,
    expert_share: Type.Number({
      minimum: 0,
      maximum: 1,
      description: "β, the chance that a turn of a rollout is the expert's; above 0 with labels=played",
    }),
    labels: Type.Union([Type.Literal('played'), Type.Literal('all')], {
      description:
        "turns that are trained on: 'played', those that the expert has played and those in which the policy said the same; 'all', every turn, with the reply that the expert would have given, which needs contexts that do not continue each other (context=last, window)",
    }),
    window: nullable(
      count('iterations'),
      'number of iterations, counted back from the newest, whose episodes are trained on; null: all, as in the paper',
    ),
    epochs: count('passes over these episodes per iteration'),
    batch_size: count(
      'contexts per micro-batch; an episode is one, unless its turns do not continue each other. With labels=all: episodes, with all their contexts',
    ),
    grad_accum_steps: count('micro-batches per optimizer step; its loss is the mean over all of them'),
    ...rateKeys,
    max_grad_norm: rate('upper bound of the global norm of the policy gradient'),
    observation_weight: Type.Number({
      minimum: 0,
      description:
        'weight of −log p of each token that the environment wrote, beside the mean over utterances; 0: only replies are trained on',
    }),
    ...scoreTerminatorKey,
  },
  { additionalProperties: false },
);

type DaggerOptions = OptionsOf<typeof options> & PlayOptions;

export const dagger = defineAlgorithm({
  name: 'dagger',
  description:
    "DAgger: the policy and the environment's expert share the turns of an episode, and the policy imitates the expert's",
  options,
  needs: { expert: true },
  problems: ({ labels, expertShare }) =>
    labels === 'played' && expertShare === 0
      ? [
          {
            key: 'expert_share',
            message: 'expert_share=0 with labels=played: the expert plays no turn, so that nothing is learned',
            remedy: 'write a share above 0, or labels=all',
          },
        ]
      : [],

  async train(run, options) {
    const history = [...run.history];

    for await (const iteration of run.iterations()) {
      const rollout = await run.collect(iteration, { openPlayer: expertPlayer(run, options) });
      for (const episode of rollout) history.push(episode);
      if (options.window !== null) history.splice(0, history.length - options.window * options.rolloutSize);
      const metrics: Metrics = { ...episodeMetrics(rollout, 'rollout'), ...agreement(run, rollout, options) };

      Object.assign(metrics, await learn(run, history, iteration, options));

      await run.endIteration(iteration, metrics, rollout);
    }
  },
});

/** Share of turns in which what was said is the expert's own, or the same. */
function agreement({ policy }: TrainingRun, rollout: readonly Trajectory[], { labels }: DaggerOptions): Metrics {
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
  const { seed, labels, epochs, batchSize, gradAccumSteps, maxGradNorm, observationWeight, scoreTerminator } = options;
  const items: readonly Pick<Trajectory, 'segments'>[] = labels === 'all' ? episodes : contextsOf(episodes);
  const learned = items.filter(({ segments }) =>
    segments.some(({ utterances }) => utterances.some(({ slip }) => !slip)),
  );
  const { maskedTokenIds } = run.policy;
  const lmLr = policyRateFromStart(iteration, options);
  const metrics = await imitateAtOnce(
    run,
    episodeExamples(learned, { scoreTerminator, observationWeight, maskedTokenIds }),
    {
      epochs,
      lmLr,
      maxGradNorm,
      seed: hash32(`${seed}/learn/${iteration}`),
      lmSchedule: { kind: 'constant', warmupSteps: 0, finalShare: 1 },
    },
    { batchSize: batchSize * gradAccumSteps, parts: gradAccumSteps },
  );
  return { ...metrics, 'optim/lm_lr': lmLr };
}
