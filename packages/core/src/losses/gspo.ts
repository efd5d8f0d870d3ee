import { clippedSurrogate, type PpoClipOptions } from './ppo-clip.js';
import { sameLength, type TokenLoss } from './token-loss.js';

/** The largest logarithm of a ratio; beyond it the ratio, and so the loss, would overflow. */
const LOG_RATIO_BOUND = 10;

/**
 * Computes the clipped surrogate with one ratio for a whole sequence, the geometric mean of its tokens' ratios:
 *
 *     s = exp( mean_t (logprob_t − oldLogprob_t) )
 *     ℓ_t = max(−A_t · s, −A_t · clip(s, 1 − ε_low, 1 + ε_high))       L = Σ_t w_t ℓ_t
 *
 * The gradient is that of GSPO-token, s_t = sg(s) · exp(logprob_t − sg(logprob_t)) with sg: constant in the gradient. Where the
 * tokens of a sequence have the same advantage and weight, as in GSPO, it is the gradient of L.
 *
 * Source: Zheng et al. 2025, arXiv:2507.18071, eq. 5 and 13. A sequence may also be a turn.
 *
 * @param logprobs [N] nats, under the policy being trained
 * @param oldLogprobs [N] nats, under the policy that sampled the rollout
 * @param weights [N] w, see `tokenWeights`
 * @param lengths [sequences] tokens of each sequence, Σ = N
 * @returns the loss, its gradient by `logprobs` [N], and means weighted by w, see `ppoClipLoss`
 */
export function gspoLoss(
  {
    logprobs,
    oldLogprobs,
    advantages,
    weights,
    lengths,
  }: {
    logprobs: Float32Array;
    oldLogprobs: Float32Array;
    advantages: Float32Array;
    weights: Float32Array;
    lengths: readonly number[];
  },
  options: PpoClipOptions,
): TokenLoss & { approxKl: number; clipFraction: number } {
  sameLength('gspoLoss', { logprobs, oldLogprobs, advantages, weights });
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  if (tokens !== logprobs.length)
    throw new RangeError(`gspoLoss: the sequences have ${tokens} tokens for ${logprobs.length} logprobs`);
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  const gradient = new Float32Array(logprobs.length);
  let [loss, approxKl, clipFraction, start] = [0, 0, 0, 0];
  for (const length of lengths) {
    const end = start + length;
    let sum = 0;
    for (let t = start; t < end; t++) sum += logprobs[t] - oldLogprobs[t];
    const logRatio = Math.min(sum / length, LOG_RATIO_BOUND);
    for (let t = start; t < end; t++) {
      const surrogate = clippedSurrogate(logRatio, advantages[t], options);
      loss += weights[t] * surrogate.loss;
      gradient[t] = weights[t] * surrogate.slope;
      const share = weights[t] / totalWeight;
      const tokenLogRatio = logprobs[t] - oldLogprobs[t];
      approxKl += share * (Math.exp(tokenLogRatio) - 1 - tokenLogRatio);
      if (surrogate.isClipped) clipFraction += share;
    }
    start = end;
  }
  return { loss, gradient, approxKl, clipFraction };
}
