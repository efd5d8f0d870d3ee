export interface AwrOptions {
  /** β, in units of the advantage: smaller is greedier. */
  temperature: number;
  /** Upper bound of exp(A / β); the paper's code has 20. */
  maxWeight: number;
}

/**
 * Computes the weights of advantage-weighted regression, min(exp(A / β), maxWeight), so that good actions are imitated more than
 * bad ones. They do not depend on the log-probabilities: training multiplies the weights w of its token examples by them.
 *
 *     L = −Σ_t w_t min(exp(A_t / β), maxWeight) log π(a_t | s, a_<t)
 *
 * Source: Peng et al. 2019, arXiv:1910.00177, eq. 8 and section 5.2; also the policy extraction of IQL (Kostrikov et al. 2021,
 * arXiv:2110.06169, eq. 7, where β is its inverse).
 */
export const awrWeights = (advantages: Float32Array, { temperature, maxWeight }: AwrOptions): Float32Array =>
  advantages.map((advantage) => Math.min(Math.exp(advantage / temperature), maxWeight));
