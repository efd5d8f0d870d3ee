// Computes the policy's loss in the algorithms that learn from a dataset: the weighted log-likelihood of utterances.
import { awrWeights, group, positive, type HeadValues } from '@bowyer/core';
import type { DoubleCritic, LanguageModel } from '@bowyer/models';
import { summary } from '../learning/metric-means.js';
import { packTurns } from '../learning/pack-turns.js';
import type { ReplayItem } from '../rollout/replay.js';
import type { Metrics } from '../rollout/run-hooks.js';

export const awrOption = group(
  {
    temperature: positive(
      1,
      'temperature of the weights exp(A / temperature), in units of the advantage: smaller is greedier',
      { flat: 'awr_temperature' },
    ),
    max_weight: positive(20, 'upper bound of these weights', { flat: 'awr_max_weight' }),
  },
  'advantage-weighted regression',
);

export function headsAt(critic: DoubleCritic, turns: readonly ReplayItem[]): Promise<HeadValues> {
  const transitions = turns.map(({ trajectory, turn }) => trajectory.transitions[turn]);
  return critic.evaluate(
    transitions.map(({ observation }) => observation),
    transitions.map(({ action }) => action),
    'online',
  );
}

/**
 * Adds the gradient of L = −mean w · Σ_t log π(a_t | s, a_<t) over some turns.
 *
 * @returns L, in nats times the unit of w
 */
export async function accumulateWeighted(
  policy: LanguageModel,
  turns: readonly ReplayItem[],
  weights: ArrayLike<number>,
  options: { scoreTerminator: boolean },
): Promise<number> {
  const { examples } = packTurns(
    turns.map((turn, i) => ({ ...turn, weight: weights[i] / turns.length })),
    options,
  );
  return (await policy.accumulateGradients(examples)).loss;
}

/** Adds the gradient of advantage-weighted regression. @param advantages [turns] */
export async function accumulateAwr(
  policy: LanguageModel,
  turns: readonly ReplayItem[],
  advantages: Float32Array,
  { actor, awr }: { actor: { scoreTerminator: boolean }; awr: { temperature: number; maxWeight: number } },
): Promise<Metrics> {
  const weights = awrWeights(advantages, awr);
  const loss = await accumulateWeighted(policy, turns, weights, actor);
  return { 'losses/policy': loss, ...summary('actor/advantages', advantages), ...summary('actor/weights', weights) };
}
