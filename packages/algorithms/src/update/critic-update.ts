// The critic's half of ArCHer, which CHAI shares: utterance-level TD with a slow target.
// Source: Zhou et al. 2024, arXiv:2402.19446, section 3.2; loss and order of steps from the authors' code at 7c771a7.
import { count, mean, oneOf, rate, share, tdTargets, type ReplayBuffer, type Rng } from '@bowyer/core';
import type { DoubleCritic } from '@bowyer/models';
import type { FreshUtterances } from '../rollout/fresh-utterances.js';
import type { Metrics, ReplayItem, RunHooks } from '../types.js';
import { gradientAccumulationKeys } from './gradient-accumulation.js';
import { RunningMeans } from './running-means.js';
import type { SharedClip } from './shared-clip.js';

export const criticKeys = {
  capacity: count('size of the replay buffer in turns'),
  epochs: count('optimizer steps on the critic per iteration'),
  ...gradientAccumulationKeys('turns'),
  critic_lr: rate('learning rate of the critic'),
  critic_max_grad_norm: rate('upper bound of the global norm of the critic gradient'),
  gamma: share('discount per turn'),
  tau: share('Polyak step of the target critic after every optimizer step: target = (1 - tau) * target + tau * critic'),
  v_target_action: oneOf(
    ['stored', 'policy'],
    'action in the target of the V heads: the stored one, or a fresh sample of the policy, as in the paper',
  ),
  td_target: oneOf(['own', 'min'], 'a Q head bootstraps from its own target V head, or from the smaller of the two'),
};

export interface CriticOptions {
  /** Optimizer steps on the critic per iteration. */
  epochs: number;
  /** Transitions per micro-batch. */
  batchSize: number;
  /** Micro-batches per optimizer step. */
  gradAccumSteps: number;
  gradReduction: 'sum' | 'mean';
  criticLr: number;
  criticMaxGradNorm: number;
  /** Discount per turn. */
  gamma: number;
  /** Polyak step τ after every optimizer step: x̄ ← (1 − τ) x̄ + τ x. */
  tau: number;
  /** Where the V heads' action comes from: the stored one, or a fresh sample of the policy as in the paper. */
  vTargetAction: 'stored' | 'policy';
  /** `own`: head i bootstraps from target head i. `min`: from the smaller of the two. */
  tdTarget: 'own' | 'min';
}

export interface CriticUpdate {
  critic: DoubleCritic;
  replay: ReplayBuffer<ReplayItem>;
  clip: SharedClip;
  hooks: Pick<RunHooks, 'progress'>;
}

/** `epochs` optimizer steps of L = Σ_i mean (Q_i − y^Q_i)² + mean (V_i − y^V_i)². */
export async function updateCritic(
  { critic, replay, clip, hooks }: CriticUpdate,
  sample: FreshUtterances,
  rng: Rng,
  options: CriticOptions,
): Promise<Metrics> {
  const means = new RunningMeans();
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    for (let micro = 0; micro < options.gradAccumSteps; micro++) {
      means.add(await accumulateTd(critic, replay.sample(options.batchSize, rng), sample, rng, options));
    }
    const norm = await clip.step('critic', critic.optimizer, options.criticLr, options.gradAccumSteps, {
      maxGradNorm: options.criticMaxGradNorm,
      gradReduction: options.gradReduction,
    });
    means.add({ 'optim/critic_gradient_norm': norm });
    await critic.polyak(options.tau);
    hooks.progress('critic', epoch + 1, options.epochs);
  }
  return means.values();
}

/** Forward and backward of one micro-batch; gradients are added. */
async function accumulateTd(
  critic: DoubleCritic,
  items: ReplayItem[],
  sample: FreshUtterances,
  rng: Rng,
  options: CriticOptions,
): Promise<Metrics> {
  const transitions = items.map(({ trajectory, turn }) => trajectory.transitions[turn]);
  const observations = transitions.map(({ observation }) => observation);
  const actions = transitions.map(({ action }) => action);
  const policyActions =
    options.vTargetAction === 'stored'
      ? actions
      : (await sample(items, rng)).map(({ trajectory, turn }) => trajectory.transitions[turn].action);

  const next = await critic.evaluate(
    transitions.map(({ nextObservation }) => nextObservation),
    null,
    'target',
  );
  const here = await critic.evaluate(observations, policyActions, 'target');
  const rewards = transitions.map(({ reward }) => reward);
  const terminated = transitions.map((transition) => transition.terminated);
  const [nextV1, nextV2] = pair(next.v1, next.v2, options.tdTarget);
  const [v1Targets, v2Targets] = pair(here.q1, here.q2, options.tdTarget);
  const result = await critic.accumulateGradients({
    observations,
    actions,
    q1Targets: tdTargets(rewards, terminated, nextV1, options.gamma),
    q2Targets: tdTargets(rewards, terminated, nextV2, options.gamma),
    v1Targets,
    v2Targets,
  });
  return {
    'losses/q1': result.q1Loss,
    'losses/q2': result.q2Loss,
    'losses/v1': result.v1Loss,
    'losses/v2': result.v2Loss,
    'critic/q1_mean': mean(result.q1),
    'critic/q2_mean': mean(result.q2),
    'critic/v1_mean': mean(result.v1),
    'critic/v2_mean': mean(result.v2),
    'critic/target_q1_mean': mean(here.q1),
    'critic/target_q2_mean': mean(here.q2),
  };
}

function pair(one: Float32Array, two: Float32Array, rule: 'own' | 'min'): [Float32Array, Float32Array] {
  if (rule === 'own') return [one, two];
  const smaller = one.map((value, i) => Math.min(value, two[i]));
  return [smaller, smaller];
}
