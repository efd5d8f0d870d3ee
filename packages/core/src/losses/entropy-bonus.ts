import { sameLength, type TokenLoss } from './token-loss.js';

/**
 * Computes the entropy bonus, L = −Σ_t w_t H_t: lower where the policy is less certain. Add it with a small coefficient (0.001 to 0.01).
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
