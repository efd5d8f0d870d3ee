import { hostArithmetic, type Arithmetic } from './arithmetic.js';
import { sameLength, type TokenLoss } from './token-loss.js';

/**
 * Computes the loss of direct reward optimisation per token: the policy gradient with a quadratic penalty for the distance to the
 * policy that sampled:
 *
 *     L = −Σ_t w_t [ A_t logprob_t − β/2 (logprob_t − oldLogprob_t)² ]
 *
 * Source: Richemond et al. 2024, arXiv:2405.19107, eq. 6; per token as in Kimi k1.5, arXiv:2501.12599, section 2.3.2. Differs
 * from them: no value function is learned; the caller passes the advantages.
 *
 * @param logprobs [N] nats, under the policy being trained
 * @param oldLogprobs [N] nats, under the policy that sampled the rollout
 * @param weights [N] w, see `tokenWeights`
 * @param beta β, per nat
 * @returns the loss and its gradient by `logprobs` [N]
 */
export function droLoss(
  {
    logprobs,
    oldLogprobs,
    advantages,
    weights,
  }: { logprobs: Float32Array; oldLogprobs: Float32Array; advantages: Float32Array; weights: Float32Array },
  beta: number,
): TokenLoss {
  sameLength('droLoss', { logprobs, oldLogprobs, advantages, weights });
  let loss = 0;
  const gradient = logprobs.map((logprob, t) => {
    if (weights[t] === 0) return 0;
    const logRatio = logprob - oldLogprobs[t];
    loss -= weights[t] * (advantages[t] * logprob - (beta / 2) * logRatio ** 2);
    return weights[t] * droSlope(hostArithmetic, logRatio, advantages[t], beta);
  });
  return { loss, gradient };
}

/** Computes dℓ / d logprob = β · logRatio − A, with numbers or graph values. */
export function droSlope<T, B>(a: Arithmetic<T, B>, logRatio: T, advantage: T, beta: T | number): T {
  return a.sub(a.mul(logRatio, beta), advantage);
}
