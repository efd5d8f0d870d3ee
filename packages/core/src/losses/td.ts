import { sameLength } from './token-loss.js';

/**
 * Computes the squared error of values against fixed targets, L = Σ w (V − y)². No gradient goes through the bootstrap
 * (semi-gradient TD, Sutton & Barto 2018, section 9.3).
 *
 * @param values [N] V, of the critic being trained
 * @param targets [N] y
 * @param weights [N] w, 1/N for a mean
 * @returns the loss and its gradient by `values` [N]
 */
export function tdLoss(
  values: Float32Array,
  targets: Float32Array,
  weights: Float32Array,
): { loss: number; gradient: Float32Array } {
  sameLength('tdLoss', { values, targets, weights });
  let loss = 0;
  const gradient = values.map((value, i) => {
    const error = value - targets[i];
    loss += weights[i] * error ** 2;
    return 2 * weights[i] * error;
  });
  return { loss, gradient };
}
