// ArCHer: a critic over utterances, learned off-policy, trains a policy over tokens by REINFORCE.
// Source: Zhou et al. 2024, arXiv:2402.19446, algorithm 1; details and defaults from the authors' code at 7c771a7.
// Differs from that code, each switchable: see archer.md. The critic's targets and update are in critic.ts, the policy's in actor.ts.
import { Type } from '@sinclair/typebox';
import { oneOf, type ConfigProblem, type Trajectory } from '@bowyer/core';
import { neverTrains, policyKeys, policyRate } from '../learning/policy-rate.js';
import { klReference } from '../learning/reference-policy.js';
import { rolloutMetrics } from '../rollout/episode-metrics.js';
import { criticCalibration } from '../rollout/evaluate.js';
import { evalDecodingKey, loopKeys } from '../rollout/loop-keys.js';
import { insertTurns, openReplay, rewardMetrics } from '../rollout/replay.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { criticOf, valueModelOf } from '../run/training-run.js';
import { actorKeys, baselineProblems, emptySteps, updateActor } from './actor.js';
import { criticKeys, criticProblems, updateCritic } from './critic.js';
import { importanceClipKey, importanceWeights } from './importance-weights.js';
import { SharedClip } from './shared-clip.js';

const options = Type.Object(
  {
    ...loopKeys,
    ...evalDecodingKey,
    ...criticKeys,
    ...importanceClipKey,
    ...policyKeys,
    ...actorKeys,
    clip_scope: oneOf(
      ['own', 'all'],
      'gradients under the norm clip: of the network being stepped, or of all networks, as in the code of ArCHer',
    ),
    actor_samples: oneOf(
      ['rollout', 'replay'],
      'utterances that the policy trains on: those of the new episodes, or fresh samples at replayed states, as in the paper',
    ),
  },
  { additionalProperties: false },
);

export const archer = defineAlgorithm({
  name: 'archer',
  aliases: ['archer_llm'],
  description: 'ArCHer: a critic over utterances, learned off-policy, trains a policy over tokens by REINFORCE',
  options,
  needs: { critic: 'double' },
  valueFunction: ({ useBaseline }) => (useBaseline ? 'critic' : null),
  evaluationMetrics: (agent, episodes, { gamma }) => criticCalibration(criticOf(agent), episodes, gamma),

  async train(run, options) {
    const replay = openReplay(run, options.capacity);
    insertTurns(replay, run.history);
    const learner = {
      ...run,
      replay,
      critic: criticOf(run),
      reference: await klReference(run, options),
      baseline: options.useBaseline ? valueModelOf(run) : null,
      clip: new SharedClip(options.clipScope, (run.state.clip ??= {}) as Record<string, number>),
    };
    const { importanceClip } = options;
    const weightsOf =
      importanceClip === null
        ? null
        : (episodes: Iterable<Trajectory>) => importanceWeights(run.policy, episodes, importanceClip);

    for await (const iteration of run.iterations()) {
      const rng = run.updateRng(iteration);

      // Roll out the current policy and store every turn.
      const rollout = await run.collect(iteration);
      insertTurns(replay, rollout);
      const metrics = { ...rolloutMetrics(rollout), ...rewardMetrics(rollout) };

      // Utterance level: TD on the replay buffer, the target critic follows slowly.
      Object.assign(metrics, await updateCritic(learner, rng, options, weightsOf));

      // Token level: REINFORCE with the utterance's advantage on each of its tokens.
      if (iteration >= options.warmupIter)
        Object.assign(
          metrics,
          await updateActor(learner, rollout, rng, run.stepScale * policyRate(iteration, options), options),
        );

      await run.endIteration(iteration, metrics, rollout);
    }
  },

  problems: (options) => [
    ...neverTrains(options),
    ...criticProblems(options),
    ...baselineProblems(options),
    ...emptySteps(options),
  ],
  frozenIterations: ({ warmupIter }) => warmupIter,
  trainsWithChoices: ['constrained'],
  choiceProblems: ({ actorSamples, vTargetAction }) => [
    ...atReplayedStates('actor_samples', actorSamples === 'replay', 'replay', 'rollout'),
    ...atReplayedStates('v_target_action', vTargetAction === 'policy', 'policy', 'stored'),
  ],
  offPolicyRollouts: ({ importanceClip }) =>
    importanceClip !== null
      ? []
      : [
          {
            key: 'importance_clip',
            message:
              'importance_clip=null: utterances of another policy, or of an earlier one, would count as the policy’s own',
            remedy: 'give the bound of the weights π/μ, such as importance_clip=5',
          },
        ],
});

/** A problem where the policy is asked again at replayed states, whose valid actions are not kept. */
const atReplayedStates = (key: string, asks: boolean, value: string, other: string): ConfigProblem[] =>
  asks
    ? [
        {
          key,
          message: `${key}=${value}: the policy would choose at replayed states, whose valid actions are not kept`,
          remedy: `write ${key}=${other}, or action_choice=free`,
        },
      ]
    : [];
