// DAgger: the policy plays, the environment's expert says what it would do where the policy has got to, and the policy imitates that.
// Source: Ross, Gordon and Bagnell 2011, arXiv:1011.0686, algorithm 3.1.
//
//     play   each turn is the expert's with probability β, else the policy's        π_i = β π* + (1 − β) π̂_i
//     learn  L = −mean over the expert's turns of Σ_t log π(a*_t | s, a*_<t), on the episodes of all iterations or the newest
//
// Differs from it: β is constant and above 0; learned are the turns that the expert has played, and those of the policy in which it
// said the same, each in the dialogue in which it was said, where the paper has an expert's label for every state: with labels beside
// the dialogue, every turn would have to be read again from the episode's beginning. The learning continues from the last iteration's
// weights, where the paper begins again.
import { Type } from '@sinclair/typebox';
import { count, hash32, nullable, rate, type OptionsOf, type Trajectory } from '@bowyer/core';
import { episodeExamples } from '../dataset/examples.js';
import { imitateAtOnce } from '../dataset/imitate.js';
import { collect, episodeMetrics } from '../rollout/collect.js';
import { expertPlayer } from '../rollout/expert-player.js';
import { evalDecodingKey, loopKeys } from '../rollout/loop-keys.js';
import { policyPlayer } from '../rollout/policy-player.js';
import type { Metrics, PlayOptions } from '../types.js';
import { rateKeys } from '../update/policy-rate.js';
import { scoreTerminatorKey } from '../update/token-examples.js';
import { defineAlgorithm, type TrainingRun } from '../unit.js';
import { evaluateWhenDue, rateAt } from './group-training.js';

const options = Type.Object(
  {
    ...loopKeys,
    ...evalDecodingKey,
    expert_share: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: "β, the chance that a turn of a rollout is the expert's; its turns are those that are learned",
    }),
    window: nullable(
      count('iterations'),
      'iterations whose episodes are learned, counted back from now; null: all, as in the paper',
    ),
    epochs: count('passes over these episodes per iteration'),
    batch_size: count('contexts per micro-batch; an episode is one, unless its turns do not continue each other'),
    grad_accum_steps: count('micro-batches per optimizer step; its loss is the mean over all of them'),
    ...rateKeys,
    max_grad_norm: rate('upper bound of the global norm of the policy gradient'),
    observation_weight: Type.Number({
      minimum: 0,
      description:
        'of −log p of each token that the environment wrote, beside the mean over utterances; 0: learned are replies alone',
    }),
    ...scoreTerminatorKey,
  },
  { additionalProperties: false },
);

type DaggerOptions = OptionsOf<typeof options> & PlayOptions;

export const dagger = defineAlgorithm({
  name: 'dagger',
  description: "DAgger: the policy plays turn about with the environment's expert, and imitates the expert's turns",
  options,
  needs: { critic: null, source: 'episodes', expert: true },
  trainsPolicy: true,
  playerOptions: [],
  openPlayer: policyPlayer,

  async train(run, options) {
    const { hooks } = run;
    const history = [...run.history];

    for (let iteration = run.firstIteration; iteration < options.iterations && !hooks.stopRequested; iteration++) {
      const rollout = await collect(run, expertPlayer(run, options), iteration, options);
      for (const episode of rollout) history.push(episode);
      if (options.window !== null) history.splice(0, history.length - options.window * options.rolloutSize);
      const metrics: Metrics = { ...episodeMetrics(rollout, 'rollout'), ...agreement(rollout) };

      Object.assign(metrics, await learn(run, history, iteration, options));

      await evaluateWhenDue(run, policyPlayer(run, options), iteration, metrics, options);
      await hooks.log(iteration, metrics, rollout);
      if ((iteration + 1) % options.saveFreq === 0 || hooks.checkpointDue || hooks.stopRequested)
        await hooks.checkpoint(iteration + 1);
    }
  },
});

/** Share of turns in which what was said is the expert's own, or the same. */
function agreement(rollout: readonly Trajectory[]): Metrics {
  const utterances = rollout.flatMap(({ segments }) => segments.flatMap((segment) => segment.utterances));
  return { 'expert/agreement': utterances.filter(({ slip }) => !slip).length / utterances.length };
}

async function learn(
  run: TrainingRun,
  episodes: readonly Trajectory[],
  iteration: number,
  options: DaggerOptions,
): Promise<Metrics> {
  const { seed, epochs, batchSize, gradAccumSteps, maxGradNorm, observationWeight, scoreTerminator } = options;
  const contexts = episodes
    .flatMap(({ segments }) => segments.map((segment) => ({ segments: [segment] })))
    .filter(({ segments: [{ utterances }] }) => utterances.some(({ slip }) => !slip));
  const { maskedTokenIds } = run.policy;
  const lmLr = rateAt(iteration, options);
  const metrics = await imitateAtOnce(
    run,
    episodeExamples(contexts, { scoreTerminator, observationWeight, maskedTokenIds }),
    {
      ...{ epochs, lmLr, maxGradNorm, seed: hash32(`${seed}/learn/${iteration}`) },
      lmSchedule: { kind: 'constant', warmupSteps: 0, finalShare: 1 },
    },
    { batchSize: batchSize * gradAccumSteps, parts: gradAccumSteps },
  );
  return { ...metrics, 'optim/lm_lr': lmLr };
}
