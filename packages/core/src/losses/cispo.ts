import { hostArithmetic, type Arithmetic } from './arithmetic.js';
import { sameLength, type TokenLoss } from './token-loss.js';

/** The interval to which a ratio of probabilities is clipped. */
export interface CispoOptions {
  low: number;
  high: number;
}

/**
 * Computes CISPO's loss: the policy gradient with each token weighted by its clipped ratio, so that no token loses its gradient;
 * sg stops the gradient:
 *
 *     L = −Σ_t w_t sg(clip(ratio_t, low, high)) A_t logprob_t        ratio = exp(logprob − oldLogprob)
 *
 * Source: MiniMax 2025, arXiv:2506.13585, eq. 4 and 5. Differs from it: the mean over tokens is replaced by a weighted sum.
 *
 * @param logprobs [N] nats, under the policy being trained
 * @param oldLogprobs [N] nats, under the policy that sampled the rollout
 * @param weights [N] w, see `tokenWeights`
 * @returns the loss and its gradient by `logprobs` [N]
 */
export function cispoLoss(
  {
    logprobs,
    oldLogprobs,
    advantages,
    weights,
  }: { logprobs: Float32Array; oldLogprobs: Float32Array; advantages: Float32Array; weights: Float32Array },
  options: CispoOptions,
): TokenLoss {
  sameLength('cispoLoss', { logprobs, oldLogprobs, advantages, weights });
  let loss = 0;
  const gradient = logprobs.map((logprob, t) => {
    if (weights[t] === 0) return 0;
    const slope = weights[t] * cispoSlope(hostArithmetic, logprob - oldLogprobs[t], advantages[t], options);
    loss += slope * logprob;
    return slope;
  });
  return { loss, gradient };
}

/** Computes dℓ / d logprob = −A clip(ratio, low, high), with numbers or graph values. */
export function cispoSlope<T, B>(
  a: Arithmetic<T, B>,
  logRatio: T,
  advantage: T,
  { low, high }: { low: T | number; high: T | number },
): T {
  return a.neg(a.mul(advantage, a.clip(a.exp(logRatio), low, high)));
}
