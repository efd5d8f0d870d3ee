import { sameLength } from './token-loss.js';

/**
 * Weights that make a squared error an expectile regression: |τ − 1(y < V)|, that is τ where the value is below its target, 1 − τ
 * where it is above. Give them to a critic that computes its own squared error (`CriticBatch.weights`).
 *
 * @param values [N] V before the step
 * @param targets [N] y
 * @param options.expectile τ in (0, 1); 0.5 weighs both sides alike, 0.9 comes near the maximum of the targets
 * @returns [N]
 */
export function expectileWeights(
  values: Float32Array,
  targets: Float32Array,
  { expectile }: { expectile: number },
): Float32Array {
  sameLength('expectileWeights', { values, targets });
  return values.map((value, i) => (targets[i] < value ? 1 - expectile : expectile));
}

/**
 * Expectile regression of V on Q:
 *
 *     L = Σ w |τ − 1(u < 0)| u²,   u = y − V
 *
 * Source: IQL, Kostrikov et al. 2021, arXiv:2110.06169, eq. 5.
 *
 * @param values [N] V, being trained
 * @param targets [N] y, for instance Q̄(s, a)
 * @param weights [N] w, 1/N for a mean
 * @returns the loss and its gradient by `values` [N]
 */
export function expectileLoss(
  values: Float32Array,
  targets: Float32Array,
  weights: Float32Array,
  options: { expectile: number },
): { loss: number; gradient: Float32Array } {
  sameLength('expectileLoss', { values, targets, weights });
  const sides = expectileWeights(values, targets, options);
  let loss = 0;
  const gradient = values.map((value, i) => {
    const error = targets[i] - value;
    loss += weights[i] * sides[i] * error ** 2;
    return -2 * weights[i] * sides[i] * error;
  });
  return { loss, gradient };
}
