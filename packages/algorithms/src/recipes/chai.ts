// CHAI, online: a frozen policy samples candidate utterances, a learned critic picks one.
// Source: Verma et al. 2022, arXiv:2204.08426; online form as the baseline of Zhou et al. 2024, arXiv:2402.19446.
// The critic is ArCHer's; the policy is never trained.
import { Type } from '@sinclair/typebox';
import { count, Rng } from '@bowyer/core';
import { BestOfNPlayer } from '../rollout/best-of-n-player.js';
import { collect, rolloutMetrics } from '../rollout/collect.js';
import { criticCalibration, evaluate } from '../rollout/evaluate.js';
import { loopKeys } from '../rollout/loop-keys.js';
import { insertTurns, openReplay, rewardMetrics } from '../rollout/replay.js';
import type { Metrics, OpenPlayer } from '../types.js';
import { criticKeys, criticProblems, updateCritic, type CriticUpdate } from '../update/critic-update.js';
import { SharedClip } from '../update/shared-clip.js';
import { criticOf, defineAlgorithm, type Agent } from '../unit.js';

const options = Type.Object(
  {
    ...loopKeys,
    ...criticKeys,
    num_candidates: count('utterances that the policy samples per turn; the critic picks one'),
  },
  { additionalProperties: false },
);

export const chai = defineAlgorithm({
  name: 'chai',
  description: 'CHAI: a frozen policy samples candidate utterances, a learned critic picks one',
  options,
  needs: { critic: 'double', source: 'episodes' },
  trainsPolicy: false,
  playsWithCritic: true,
  alwaysSamples: true,
  playerOptions: ['num_candidates'],
  openPlayer: (agent, { slots, numCandidates }) => bestOfNPlayer(agent, { slots, candidates: numCandidates! }),

  async train(run, options) {
    const { hooks } = run;
    const critic = criticOf(run);
    const openPlayer = bestOfNPlayer(run, { slots: options.slots, candidates: options.numCandidates });
    const replay = openReplay(run, options.capacity);
    insertTurns(replay, run.history);
    const clip = new SharedClip('own');
    const { ranks } = run;
    const learner: CriticUpdate = { critic, replay, clip, hooks, ranks, openPlayer, playsWithCritic: true };

    for (let iteration = run.firstIteration; iteration < options.iterations && !hooks.stopRequested; iteration++) {
      const rng = Rng.forPurpose(options.seed, `update/${iteration}`);

      // Roll out the best of N and store every turn.
      const rollout = await collect(run, openPlayer, iteration, options);
      insertTurns(replay, rollout);
      const metrics: Metrics = { ...rolloutMetrics(rollout), ...rewardMetrics(rollout) };

      // The critic learns the value of acting that way.
      Object.assign(metrics, await updateCritic(learner, rng, options));

      if ((iteration + 1) % options.evalFreq === 0) {
        const { seed, slots, maxFailureShare, sampling, evalSize } = options;
        const evaluation = await evaluate(run, openPlayer, {
          ...{ seed, slots, maxFailureShare, sampling, evalSize, evalDecoding: 'sample' as const },
        });
        Object.assign(
          metrics,
          evaluation.metrics,
          await criticCalibration(critic, evaluation.trajectories, options.gamma),
        );
        await hooks.keepBest(iteration, evaluation.metrics['eval/episodic_return']);
      }
      await hooks.log(iteration, metrics, rollout);
      if ((iteration + 1) % options.saveFreq === 0 || hooks.checkpointDue || hooks.stopRequested)
        await hooks.checkpoint(iteration + 1);
    }
  },

  problems: (options) => [
    ...criticProblems(options),
    ...(options.numCandidates === 1
      ? [
          {
            key: 'num_candidates',
            message: 'num_candidates=1 leaves the critic nothing to choose from',
            remedy: 'give 2 or more',
          },
        ]
      : []),
  ],
});

/** Candidates must differ, so they are sampled in evaluations too. */
const bestOfNPlayer =
  (agent: Agent, options: { slots: number; candidates: number }): OpenPlayer =>
  (sampling) =>
    BestOfNPlayer.open(agent.policy, criticOf(agent), {
      ...options,
      sampling: { ...sampling, greedy: false },
      dialogues: agent.dialogues,
    });
