import { hostArithmetic, type Arithmetic } from './arithmetic.js';
import { sameLength, type TokenLoss } from './token-loss.js';

export interface PpoClipOptions {
  /** ε_low, the width of the interval of ratios below 1. */
  clipLow: number;
  /** ε_high, the width of the interval above 1; the paper has one ε for both, DAPO a larger one here. */
  clipHigh: number;
  /** The bound c of the dual clip: where A < 0, a token's loss is at most −A · c; null: no bound, as in the paper. */
  dualClip: number | null;
}

/**
 * Computes PPO's clipped surrogate, which is also the loss of GRPO, RLOO with a ratio, and DAPO:
 *
 *     ratio = exp(logprob − oldLogprob)
 *     ℓ     = max(−A · ratio, −A · clip(ratio, 1 − ε_low, 1 + ε_high))
 *     ℓ     = min(ℓ, −A · c)   where A < 0, with dual clip
 *     L     = Σ_t w_t ℓ_t
 *
 * Source: Schulman et al. 2017, arXiv:1707.06347, eq. 7; two widths: Yu et al. 2025 (DAPO), arXiv:2503.14476; dual clip: Ye et al.
 * 2019, arXiv:1912.09729.
 * Differs from it: the mean over tokens is replaced by a weighted sum, so that prompts and padding can be left out.
 *
 * @param logprobs [N] nats, under the policy being trained
 * @param oldLogprobs [N] nats, under the policy that sampled the rollout
 * @param advantages [N] every token of an utterance has that utterance's advantage
 * @param weights [N] w, see `tokenWeights`; at least one is not 0
 * @returns the loss, its gradient by `logprobs` [N], and means weighted by w: `approxKl`, an estimate of KL(old ‖ new) in nats, and
 *   `clipFraction`, the share of tokens whose ratio is outside the interval
 */
export function ppoClipLoss(
  {
    logprobs,
    oldLogprobs,
    advantages,
    weights,
  }: { logprobs: Float32Array; oldLogprobs: Float32Array; advantages: Float32Array; weights: Float32Array },
  options: PpoClipOptions,
): TokenLoss & { approxKl: number; clipFraction: number } {
  sameLength('ppoClipLoss', { logprobs, oldLogprobs, advantages, weights });
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  if (totalWeight === 0)
    throw new RangeError(`ppoClipLoss: all ${logprobs.length} weights are 0; the batch has no token of the agent`);
  const gradient = new Float32Array(logprobs.length);
  let [loss, approxKl, clipFraction] = [0, 0, 0];
  for (let t = 0; t < logprobs.length; t++) {
    if (weights[t] === 0) continue;
    const logRatio = logprobs[t] - oldLogprobs[t];
    const surrogate = clippedSurrogate(logRatio, advantages[t], options);
    loss += weights[t] * surrogate.loss;
    gradient[t] = weights[t] * surrogate.slope;
    const share = weights[t] / totalWeight;
    approxKl += share * (surrogate.ratio - 1 - logRatio); // k3 estimator: never negative, low variance
    if (surrogate.isClipped) clipFraction += share;
  }
  return { loss, gradient, approxKl, clipFraction };
}

/**
 * Computes the clipped surrogate of one ratio (formula: `ppoClipLoss`).
 *
 * @returns ℓ, its slope dℓ / d logRatio, the ratio, and whether it is outside the interval
 */
export function clippedSurrogate(
  logRatio: number,
  advantage: number,
  options: PpoClipOptions,
): { loss: number; slope: number; ratio: number; isClipped: boolean } {
  const { ratio, bounded, free, clipped, slope } = surrogateTerms(
    hostArithmetic,
    logRatio,
    advantage,
    ratioBounds(options),
  );
  const ceiling = options.dualClip !== null && advantage < 0 ? -advantage * options.dualClip : Infinity;
  return { loss: Math.min(Math.max(free, clipped), ceiling), slope, ratio, isClipped: ratio !== bounded };
}

/** Returns the interval of unclipped ratios, [1 − ε_low, 1 + ε_high]. */
export const ratioBounds = ({ clipLow, clipHigh, dualClip }: PpoClipOptions) => ({
  low: 1 - clipLow,
  high: 1 + clipHigh,
  dualClip,
});

/** Computes the terms of the clipped surrogate and its slope dℓ / d logRatio, with numbers or graph values. */
export function surrogateTerms<T, B>(
  a: Arithmetic<T, B>,
  logRatio: T,
  advantage: T,
  { low, high, dualClip }: { low: T | number; high: T | number; dualClip: number | null },
): { ratio: T; bounded: T; free: T; clipped: T; slope: T } {
  const ratio = a.exp(logRatio);
  const free = a.neg(a.mul(advantage, ratio));
  const bounded = a.clip(ratio, low, high);
  const clipped = a.neg(a.mul(advantage, bounded));
  // The slope is 0 where the clip or the dual clip decides the loss; elsewhere it follows from d ratio / d logRatio = ratio.
  let counts = a.greaterOrEqual(free, clipped);
  if (dualClip !== null)
    counts = a.and(counts, a.or(a.greaterOrEqual(advantage, 0), a.lessOrEqual(free, a.mul(advantage, -dualClip))));
  return { ratio, bounded, free, clipped, slope: a.where(counts, free, 0) };
}
