// CHAI, online, plays with a frozen policy that samples candidate utterances, of which a learned critic picks one.
// Source: Verma et al. 2022, arXiv:2204.08426; online form as the baseline of Zhou et al. 2024, arXiv:2402.19446.
// The critic is ArCHer's; the policy is never trained.
import { group, integer, unitOptions } from '@bowyer/core';
import { criticNormOption, criticOptions, criticProblems, updateCritic } from '../archer/critic.js';
import { SharedClip } from '../archer/shared-clip.js';
import { rolloutMetrics } from '../rollout/episode-metrics.js';
import { criticCalibration } from '../rollout/evaluate.js';
import { loopOptions } from '../rollout/loop-options.js';
import { capacityOption, insertTurns, openReplay, rewardMetrics } from '../rollout/replay.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { criticOf } from '../run/training-run.js';
import { BestOfNPlayer } from './best-of-n-player.js';

const loop = loopOptions({ iterations: 2000 });
const { decoding: _, ...evaluation } = loop.eval.properties;

const options = unitOptions({
  ...loop,
  eval: group(evaluation, 'evaluations'),
  ...criticOptions(criticNormOption),
  replay: group({ capacity: capacityOption }, 'the turns that the critic learns from'),
  num_candidates: integer(5, 'utterances that the policy samples per turn; the critic picks one', {
    flat: 'num_candidates',
  }),
});

export const chai = defineAlgorithm({
  name: 'chai',
  description: 'CHAI: a frozen policy samples candidate utterances, a learned critic picks one',
  options,
  needs: { critic: 'double' },
  trainsPolicy: false,
  playsWithCritic: true,
  // Candidates must differ, so they are sampled in evaluations as well.
  alwaysSamples: true,
  playerOptions: ['num_candidates'],
  openPlayer:
    (agent, { slots, numCandidates }) =>
    (sampling) =>
      BestOfNPlayer.open(agent.policy, criticOf(agent), {
        slots,
        candidates: numCandidates!,
        sampling: { ...sampling, greedy: false },
        dialogues: agent.dialogues,
      }),
  evaluationMetrics: (agent, episodes, { gamma }) => criticCalibration(criticOf(agent), episodes, gamma),

  async train(run, options) {
    const replay = openReplay(run, options.replay.capacity);
    insertTurns(replay, run.history);
    const learner = { ...run, replay, critic: criticOf(run), clip: new SharedClip('own'), playsWithCritic: true };

    for await (const iteration of run.iterations()) {
      // Play with the best of N candidates, and store every turn.
      const rollout = await run.collect(iteration);
      insertTurns(replay, rollout);

      // The critic learns the values of the whole agent: the frozen policy with the critic's choice among its candidates.
      const metrics = await updateCritic(learner, run.updateRng(iteration), options);

      await run.endIteration(iteration, { ...rolloutMetrics(rollout), ...rewardMetrics(rollout), ...metrics }, rollout);
    }
  },

  problems: (options) => [
    ...criticProblems(options),
    ...(options.numCandidates === 1
      ? [
          {
            key: 'algorithm.num_candidates',
            message: 'algorithm.num_candidates=1 leaves the critic nothing to choose from',
            remedy: 'give 2 or more',
          },
        ]
      : []),
  ],
});
