// The critic's half of ArCHer, which CHAI shares: utterance-level TD with a slow target.
// Source: Zhou et al. 2024, arXiv:2402.19446, section 3.2; loss and order of steps from the authors' code at 7c771a7.
import { mean, tdTargets, type Rng } from '@bowyer/core';
import type { DoubleCritic } from '@bowyer/models';
import type { FreshUtterances } from '../rollout/fresh-utterances.js';
import type { Metrics, OnlineRun, ReplayItem } from '../types.js';

/** A run with a critic to train. */
export interface CriticRun extends OnlineRun {
  critic: DoubleCritic;
}

export interface CriticOptions {
  /** Optimizer steps on the critic per iteration. */
  epochs: number;
  /** Transitions per micro-batch. */
  batchSize: number;
  /** Micro-batches per optimizer step, their gradients added. */
  gradAccumSteps: number;
  gradReduction: 'sum' | 'mean';
  criticLr: number;
  /** Discount per turn. */
  gamma: number;
  /** Polyak step τ after every optimizer step: x̄ ← (1 − τ) x̄ + τ x. */
  tau: number;
  maxGradNorm: number;
  criticMaxGradNorm: number;
  /** Where the V heads' action comes from: the stored one, or a fresh sample of the policy as in the paper. */
  vTargetAction: 'stored' | 'policy';
  /** `own`: head i bootstraps from target head i. `min`: from the smaller of the two. */
  tdTarget: 'own' | 'min';
}

/** `epochs` optimizer steps of L = Σ_i mean (Q_i − y^Q_i)² + mean (V_i − y^V_i)². */
export async function updateCritic(
  { critic, replay, clip, hooks }: CriticRun,
  sample: FreshUtterances,
  rng: Rng,
  options: CriticOptions,
): Promise<Metrics> {
  const record = new Recorder();
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    for (let micro = 0; micro < options.gradAccumSteps; micro++) {
      record.add(await accumulateTd(critic, replay.sample(options.batchSize, rng), sample, rng, options));
    }
    const norm = await clip.step('critic', critic.optimizer, options.criticLr, options.gradAccumSteps, {
      ...options,
      maxGradNorm: options.criticMaxGradNorm,
    });
    record.add({ 'optim/critic_gradient_norm': norm });
    await critic.polyak(options.tau);
    hooks.progress('critic', epoch + 1, options.epochs);
  }
  return record.means();
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

/** Means of figures seen many times in an iteration. */
class Recorder {
  #seen = new Map<string, number[]>();

  add(metrics: Metrics): void {
    for (const [name, value] of Object.entries(metrics)) {
      const values = this.#seen.get(name);
      if (values) values.push(value);
      else this.#seen.set(name, [value]);
    }
  }

  means(): Metrics {
    return Object.fromEntries([...this.#seen].map(([name, values]) => [name, mean(values)]));
  }
}
