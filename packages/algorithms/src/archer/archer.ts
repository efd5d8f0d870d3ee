// ArCHer trains a policy over tokens by REINFORCE, with the advantages of a critic over utterances that learns off-policy. Source: Zhou
// et al. 2024, arXiv:2402.19446, algorithm 1; details and defaults from the authors' code at 7c771a7. Its differences from that code
// can be switched off: see archer.md. The critic's targets and update are in critic.ts, the policy's in actor.ts.
import { choice, group, optional, positive, unitOptions, type ConfigProblem, type Trajectory } from '@bowyer/core';
import { neverTrains, policyRate } from '../learning/policy-rate.js';
import { klReference } from '../learning/reference-policy.js';
import { rolloutMetrics } from '../rollout/episode-metrics.js';
import { criticCalibration } from '../rollout/evaluate.js';
import { loopOptions } from '../rollout/loop-options.js';
import { capacityOption, insertTurns, openReplay, rewardMetrics } from '../rollout/replay.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { criticOf, valueModelOf } from '../run/training-run.js';
import { actorOptions, baselineProblems, emptySteps, updateActor } from './actor.js';
import { criticOptions, criticProblems, updateCritic } from './critic.js';
import { importanceWeights } from './importance-weights.js';
import { SharedClip } from './shared-clip.js';

const options = unitOptions({
  ...loopOptions({ iterations: 2000 }),
  ...criticOptions(
    optional(positive, 'upper bound of the global norm of the critic gradient; null: that of the policy', {
      flat: 'critic_max_grad_norm',
    }),
  ),
  replay: group(
    {
      capacity: capacityOption,
      importance_clip: optional(
        positive,
        'upper bound of the importance weights of utterances that older policies have written; null: no weights, as in ArCHer',
        { flat: 'importance_clip' },
      ),
    },
    'the turns that the critic learns from',
  ),
  ...actorOptions,
  clip_scope: choice(
    ['own', 'all'],
    'own',
    'gradients under the norm clip: of the network being stepped, or of all networks, as in the code of ArCHer',
    { flat: 'clip_scope' },
  ),
});

export const archer = defineAlgorithm({
  name: 'archer',
  aliases: ['archer_llm'],
  description: 'ArCHer: a critic over utterances, learned off-policy, trains a policy over tokens by REINFORCE',
  options,
  needs: { critic: 'double' },
  valueFunction: ({ actor }) => (actor.baseline.enabled ? 'critic' : null),
  evaluationMetrics: (agent, episodes, { gamma }) => criticCalibration(criticOf(agent), episodes, gamma),

  async train(run, options) {
    const replay = openReplay(run, options.replay.capacity);
    insertTurns(replay, run.history);
    const learner = {
      ...run,
      replay,
      critic: criticOf(run),
      reference: await klReference(run, options),
      baseline: options.actor.baseline.enabled ? valueModelOf(run) : null,
      clip: new SharedClip(options.clipScope, (run.state.clip ??= {}) as Record<string, number>),
      async rest() {
        await run.policy.rest();
        await criticOf(run).rest();
      },
    };
    const { importanceClip } = options.replay;
    const { critic, actor } = options;
    const criticUpdate = { ...options, critic: { ...critic, maxGradNorm: critic.maxGradNorm ?? actor.maxGradNorm } };
    const weightsOf =
      importanceClip === null
        ? null
        : (episodes: Iterable<Trajectory>) => importanceWeights(run.policy, episodes, importanceClip);

    for await (const iteration of run.iterations()) {
      const rng = run.updateRng(iteration);

      const rollout = await run.collect(iteration);
      insertTurns(replay, rollout);
      await learner.rest();
      const metrics = { ...rolloutMetrics(rollout), ...rewardMetrics(rollout) };

      // Utterance level: TD learning on the replay buffer; the target critic follows slowly.
      Object.assign(metrics, await updateCritic(learner, rng, criticUpdate, weightsOf));

      // Token level: REINFORCE with the utterance's advantage on each of its tokens.
      await learner.rest();
      if (iteration >= actor.warmupIterations) {
        Object.assign(
          metrics,
          await updateActor(learner, rollout, rng, run.stepScale * policyRate(iteration, options), options),
        );
        await learner.rest();
      }

      await run.endIteration(iteration, metrics, rollout);
    }
  },

  problems: (options) => [
    ...neverTrains(options),
    ...criticProblems(options),
    ...baselineProblems(options),
    ...emptySteps(options),
  ],
  frozenIterations: ({ actor }) => actor.warmupIterations,
  trainsWithChoices: ['constrained'],
  choiceProblems: ({ actor, critic }) => [
    ...atReplayedStates('algorithm.actor.samples', actor.samples === 'replay', 'replay', 'rollout'),
    ...atReplayedStates('algorithm.critic.v_target.action', critic.vTarget.action === 'policy', 'policy', 'stored'),
  ],
  offPolicyRollouts: ({ replay }) => {
    if (replay.importanceClip !== null) return [];
    const key = 'algorithm.replay.importance_clip';
    const message = `${key}=null: utterances of another policy, or of an earlier one, would count as the policy’s own`;
    return [{ key, message, remedy: `give the bound of the weights π/μ, such as ${key}=5` }];
  },
});

/**
 * Reports an option that makes the policy sample at states of the replay buffer, which does not store which actions were valid.
 */
const atReplayedStates = (key: string, asks: boolean, value: string, other: string): ConfigProblem[] =>
  asks
    ? [
        {
          key,
          message: `${key}=${value}: the policy would choose at replayed states, whose valid actions are not kept`,
          remedy: `write ${key}=${other}, or play.action_choice=free`,
        },
      ]
    : [];
