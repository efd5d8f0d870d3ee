// The policy's step of the algorithms that learn from a dataset: weighted log-likelihood of utterances.
import { awrWeights, rate, type HeadValues } from '@bowyer/core';
import type { DoubleCritic, LanguageModel } from '@bowyer/models';
import type { Metrics, ReplayItem } from '../types.js';
import { RunningMeans } from './running-means.js';
import { summary } from './summary.js';
import { packTurns } from './turn-batch.js';
import { weightedExamples } from './turn-weights.js';

/** Config keys of advantage-weighted regression. */
export const awrKeys = {
  awr_temperature: rate(
    'temperature of the weights exp(A / temperature), in units of the advantage: smaller is greedier',
  ),
  awr_max_weight: rate('upper bound of these weights'),
};

export interface PolicyStepOptions {
  scoreTerminator: boolean;
}

/** All heads of the online critic at some turns. */
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
 * @param weights [turns]
 * @returns L, in nats times the unit of w
 */
export async function accumulateWeighted(
  policy: LanguageModel,
  turns: readonly ReplayItem[],
  weights: ArrayLike<number>,
  options: Pick<PolicyStepOptions, 'scoreTerminator'>,
): Promise<number> {
  const batch = packTurns(
    turns.map((turn, i) => ({ ...turn, weight: weights[i] / turns.length })),
    options,
  );
  return (await policy.accumulateGradients(weightedExamples(batch))).loss;
}

/** As `accumulateWeighted`, with the weights of advantage-weighted regression. @param advantages [turns] */
export async function accumulateAwr(
  policy: LanguageModel,
  turns: readonly ReplayItem[],
  advantages: Float32Array,
  options: PolicyStepOptions & { awrTemperature: number; awrMaxWeight: number },
): Promise<Metrics> {
  const { awrTemperature: temperature, awrMaxWeight: maxWeight } = options;
  const weights = awrWeights(advantages, { temperature, maxWeight });
  const loss = await accumulateWeighted(policy, turns, weights, options);
  return { 'losses/policy': loss, ...summary('actor/advantages', advantages), ...summary('actor/weights', weights) };
}

/** One optimizer step of the policy on the mean over the micro-batches. @param accumulate adds a micro-batch's gradient */
export async function stepPolicy(
  policy: LanguageModel,
  parts: readonly (readonly ReplayItem[])[],
  accumulate: (turns: readonly ReplayItem[]) => Promise<Metrics>,
  lr: number,
  { maxGradNorm }: { maxGradNorm: number },
): Promise<Metrics> {
  const means = new RunningMeans();
  for (const turns of parts) means.add(await accumulate(turns));
  const { gradientNorm } = await policy.optimizer.step({ lr, maxGradNorm, gradientScale: 1 / parts.length });
  return { ...means.values(), 'optim/policy_gradient_norm': gradientNorm };
}
