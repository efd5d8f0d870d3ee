import { sameLength, type TokenLoss } from './token-loss.js';

/**
 * REINFORCE on tokens:
 *
 *     L = −Σ_t w_t A_t log π(a_t | s, a_<t)
 *
 * Source: Williams 1992; with an utterance's advantage on each of its tokens, ArCHer (arXiv:2402.19446), section 3.3. With A = 1 it
 * is behaviour cloning.
 *
 * The gradient −w A does not depend on the log-probabilities, so training needs no scoring pass: give w A as the weights of the
 * token examples.
 *
 * @param logprobs [N] nats, under the policy being trained
 * @param advantages [N] constants; every token of an utterance carries that utterance's advantage
 * @param weights [N] w, see `tokenWeights`
 * @returns the loss and its gradient by `logprobs` [N]
 */
export function policyGradientLoss({
  logprobs,
  advantages,
  weights,
}: {
  logprobs: Float32Array;
  advantages: Float32Array;
  weights: Float32Array;
}): TokenLoss {
  sameLength('policyGradientLoss', { logprobs, advantages, weights });
  let loss = 0;
  const gradient = logprobs.map((logprob, t) => {
    loss -= weights[t] * advantages[t] * logprob;
    return -weights[t] * advantages[t];
  });
  return { loss, gradient };
}

/**
 * Entropy bonus, L = −Σ_t w_t H_t: lower where the policy is less certain. Add it with a small coefficient (0.001 to 0.01).
 *
 * Source: Williams & Peng 1991; in PPO, Schulman et al. 2017, arXiv:1707.06347, eq. 9.
 *
 * @param entropies [N] nats, of the policy's distribution at each token
 * @returns the loss and its gradient by `entropies` [N]; that by the log-probabilities is 0
 */
export function entropyBonus(
  entropies: Float32Array,
  weights: Float32Array,
): TokenLoss & { entropyGradient: Float32Array } {
  sameLength('entropyBonus', { entropies, weights });
  const loss = -entropies.reduce((sum, entropy, t) => sum + weights[t] * entropy, 0);
  return { loss, gradient: new Float32Array(entropies.length), entropyGradient: weights.map((weight) => -weight) };
}
