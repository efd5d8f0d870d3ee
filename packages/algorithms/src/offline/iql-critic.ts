// Adds the gradient of IQL's critic loss, which offline ArCHer uses too, and takes the optimizer step of a critic on a dataset.
import { expectileWeights, fraction, group, type OptionsOf } from '@bowyer/core';
import type { DoubleCritic } from '@bowyer/models';
import { combined, headMetrics, qTargets } from '../archer/critic.js';
import { RunningMeans } from '../learning/metric-means.js';
import type { ReplayItem } from '../rollout/replay.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { offlineCriticMembers } from './passes.js';

/** The options of IQL's critic; `expectile` is τ of the paper. */
export const iqlCritic = group(
  {
    ...offlineCriticMembers,
    expectile: fraction(
      0.9,
      'expectile of Q that V is regressed on: 0.5 is the mean over the actions of the dataset (SARSA), near 1 the best of them',
      { flat: 'expectile' },
    ),
  },
  'the update of the critic',
);

interface IqlCriticOptions {
  gamma: number;
  critic: OptionsOf<typeof iqlCritic>;
}

/**
 * Adds the gradient of a micro-batch's mean, where e is the expectile:
 *
 *     Σ_i (Q_i(s, a) − y)² + |e − 1(u_i < 0)| u_i²,     y = r + γ V̄_i(s′),     u_i = Q̄_i(s, a) − V_i(s)
 *
 * Source: Kostrikov et al. 2021, arXiv:2110.06169, eq. 5 and 6; with ArCHer's heads, Zhou et al. 2024, arXiv:2402.19446, whose
 * code takes V of the target critic and no minimum over the heads (`td_target` = `own`).
 */
export async function accumulateIql(
  critic: DoubleCritic,
  items: readonly ReplayItem[],
  { gamma, critic: options }: IqlCriticOptions,
): Promise<Metrics> {
  const transitions = items.map(({ trajectory, turn }) => trajectory.transitions[turn]);
  const observations = transitions.map(({ observation }) => observation);
  const actions = transitions.map(({ action }) => action);
  const oneStep = { gamma, critic: { ...options, tdSteps: 1 } };
  const [q1Targets, q2Targets] = await qTargets(critic, items, null, oneStep);
  const { q1, q2 } = await critic.evaluate(observations, actions, 'target');
  const [v1Targets, v2Targets] = combined(q1, q2, options.tdTarget);
  const now = await critic.evaluate(observations, null, 'online');
  const result = await critic.accumulateGradients({
    observations,
    actions,
    q1Targets,
    q2Targets,
    v1Targets,
    v2Targets,
    weights: { v1: expectileWeights(now.v1, v1Targets, options), v2: expectileWeights(now.v2, v2Targets, options) },
  });
  return headMetrics(result, [q1, q2]);
}

/** Steps on the mean over the micro-batches, then moves the target critic towards the critic by the share `tau`. */
export async function stepCritic(
  critic: DoubleCritic,
  parts: readonly (readonly ReplayItem[])[],
  accumulate: (items: readonly ReplayItem[]) => Promise<Metrics>,
  { lr, maxGradNorm, tau }: { lr: number; maxGradNorm: number; tau: number },
): Promise<Metrics> {
  const means = new RunningMeans();
  for (const items of parts) means.add(await accumulate(items));
  const { gradientNorm } = await critic.optimizer.step({ lr, maxGradNorm, gradientScale: 1 / parts.length });
  await critic.polyak(tau);
  return { ...means.values(), 'optim/critic_gradient_norm': gradientNorm };
}
