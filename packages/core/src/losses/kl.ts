import { hostArithmetic, type Arithmetic } from './arithmetic.js';
import { sameLength, type TokenLoss } from './token-loss.js';

/** The estimator. `k1`: unbiased, of either sign. `k2`: half the square, biased, low variance. `k3`: unbiased and never negative. */
export type KlEstimator = 'k1' | 'k2' | 'k3';

/** The bound of k3 in nats, as in verl, since e^d of one token could outweigh the whole batch. */
const BOUND = 10;

/**
 * Estimates KL(π ‖ π_ref) in nats from one sampled token, with d = refLogprob − logprob:
 *
 *     k1 = −d        k2 = d² / 2        k3 = e^d − d − 1, within ±10
 *
 * For a KL penalty in the reward (RLOO, PPO on language models), subtract β · k1 per token.
 *
 * Source: Schulman 2020, "Approximating KL divergence"; k3 as in GRPO's penalty, arXiv:2402.03300, eq. 4.
 */
export function klEstimate(logprob: number, refLogprob: number, estimator: KlEstimator): number {
  const d = refLogprob - logprob;
  if (estimator === 'k1') return -d;
  if (estimator === 'k2') return d ** 2 / 2;
  return Math.min(Math.max(Math.exp(d) - d - 1, -BOUND), BOUND);
}

/**
 * Computes the KL penalty as a term of the loss, L = Σ_t w_t k(logprob_t, refLogprob_t). Its gradient is that of the estimate by
 * the log-probability: k1 gives 1 everywhere, which is 0 in expectation on-policy; use k2 or k3 in a loss.
 *
 * @param logprobs [N] nats, under the policy being trained
 * @param refLogprobs [N] nats, under the frozen reference policy
 * @param weights [N] w, see `tokenWeights`
 * @returns the loss and its gradient by `logprobs` [N]
 */
export function klPenalty(
  { logprobs, refLogprobs, weights }: { logprobs: Float32Array; refLogprobs: Float32Array; weights: Float32Array },
  estimator: KlEstimator,
): TokenLoss {
  sameLength('klPenalty', { logprobs, refLogprobs, weights });
  let loss = 0;
  const gradient = logprobs.map((logprob, t) => {
    loss += weights[t] * klEstimate(logprob, refLogprobs[t], estimator);
    return weights[t] * klSlope(hostArithmetic, refLogprobs[t] - logprob, estimator);
  });
  return { loss, gradient };
}

/** Computes the slope of an estimate by the log-probability, with numbers or graph values; d = refLogprob − logprob. */
export function klSlope<T, B>(a: Arithmetic<T, B>, d: T, estimator: KlEstimator): T {
  if (estimator === 'k1') return a.add(a.mul(d, 0), 1);
  if (estimator === 'k2') return a.neg(d);
  const exponential = a.exp(d);
  return a.where(a.greater(a.sub(a.sub(exponential, d), 1), BOUND), 0, a.sub(1, exponential));
}
