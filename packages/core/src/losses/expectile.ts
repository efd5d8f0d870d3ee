import { sameLength } from './token-loss.js';

/**
 * Computes the weights that turn a squared error into expectile regression: |τ − 1(y < V)|, that is τ where the value is below
 * its target and 1 − τ where it is above. Pass them to a critic that computes its own squared error (`CriticBatch.weights`):
 *
 *     L = Σ w |τ − 1(u < 0)| u²,   u = y − V
 *
 * Source: IQL, Kostrikov et al. 2021, arXiv:2110.06169, eq. 5.
 *
 * @param values [N] V before the step
 * @param targets [N] y
 * @param options.expectile τ in (0, 1); 0.5 weights both sides equally, 0.9 comes near the maximum of the targets
 */
export function expectileWeights(
  values: Float32Array,
  targets: Float32Array,
  { expectile }: { expectile: number },
): Float32Array {
  sameLength('expectileWeights', { values, targets });
  return values.map((value, i) => (targets[i] < value ? 1 - expectile : expectile));
}
