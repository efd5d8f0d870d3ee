// CHAI, online: a frozen policy samples candidate utterances, a learned critic picks one.
// Source: Verma et al. 2022, arXiv:2204.08426; online form as the baseline of Zhou et al. 2024, arXiv:2402.19446.
// The critic is ArCHer's; the policy is never trained.
import { Type } from '@sinclair/typebox';
import { count, Rng, type Trajectory } from '@bowyer/core';
import { endIteration, endPostponed } from '../rollout/end-iteration.js';
import { BestOfNPlayer } from '../rollout/best-of-n-player.js';
import { collect, rolloutMetrics } from '../rollout/collect.js';
import { criticCalibration } from '../rollout/evaluate.js';
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

    const evaluated = {
      openPlayer,
      judge: (episodes: readonly Trajectory[]) => criticCalibration(critic, episodes, options.gamma),
    };

    const { seed, slots, maxFailureShare, sampling, evalSize, evalFreq, saveFreq } = options;
    const ending = {
      seed,
      slots,
      maxFailureShare,
      sampling,
      evalSize,
      evalFreq,
      saveFreq,
      evalDecoding: 'sample' as const,
    };

    await endPostponed(run, evaluated, ending);
    for (let iteration = run.firstIteration; iteration < options.iterations && !hooks.stopRequested; iteration++) {
      const rng = Rng.forPurpose(options.seed, `update/${iteration}`);

      // Roll out the best of N and store every turn.
      const rollout = await collect(run, openPlayer, iteration, options);
      insertTurns(replay, rollout);
      const metrics: Metrics = { ...rolloutMetrics(rollout), ...rewardMetrics(rollout) };

      // The critic learns the value of acting that way.
      Object.assign(metrics, await updateCritic(learner, rng, options));

      await endIteration(run, { iteration, metrics, rollout }, evaluated, ending);
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
