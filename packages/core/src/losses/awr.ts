import { policyGradientLoss } from './policy-gradient.js';
import { sameLength, type TokenLoss } from './token-loss.js';

export interface AwrOptions {
  /** β, in units of the advantage: smaller is greedier. */
  temperature: number;
  /** Upper bound of exp(A / β); the paper's code has 20. */
  maxWeight: number;
}

/**
 * Weights of advantage-weighted regression, min(exp(A / β), maxWeight): good actions are imitated more than bad ones.
 *
 * Source: Peng et al. 2019, arXiv:1910.00177, eq. 8 and section 5.2; also the policy extraction of IQL (Kostrikov et al. 2021,
 * arXiv:2110.06169, eq. 7, where β is its inverse).
 *
 * @param advantages [N]
 * @returns [N]
 */
export const awrWeights = (advantages: Float32Array, { temperature, maxWeight }: AwrOptions): Float32Array =>
  advantages.map((advantage) => Math.min(Math.exp(advantage / temperature), maxWeight));

/**
 * Advantage-weighted regression:
 *
 *     L = −Σ_t w_t min(exp(A_t / β), maxWeight) log π(a_t | s, a_<t)
 *
 * The gradient does not depend on the log-probabilities: training may give w · `awrWeights` as the weights of the token examples.
 *
 * @param logprobs [N] nats, under the policy being trained
 * @param advantages [N] constants
 * @param weights [N] w, see `tokenWeights`
 * @returns the loss and its gradient by `logprobs` [N]
 */
export function awrLoss(
  { logprobs, advantages, weights }: { logprobs: Float32Array; advantages: Float32Array; weights: Float32Array },
  options: AwrOptions,
): TokenLoss {
  sameLength('awrLoss', { logprobs, advantages, weights });
  return policyGradientLoss({ logprobs, advantages: awrWeights(advantages, options), weights });
}
