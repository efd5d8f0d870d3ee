// Temporal-difference learning of values: the regression targets, and the squared error.
import { sameLength } from './token-loss.js';

/**
 * One-step TD targets: y = r + γ (1 − terminated) V̄(s′).
 *
 * A truncated turn bootstraps like any other: more lay beyond it.
 *
 * Source: ArCHer, Zhou et al. 2024, arXiv:2402.19446, section 3.2. Head i of a double critic bootstraps from target head i alone.
 *
 * @param rewards [batch]
 * @param terminated [batch] nothing of value lies beyond s′
 * @param nextValues [batch] V̄(s′) of the target critic
 * @param gamma discount per turn
 * @returns [batch]
 */
export function tdTargets(
  rewards: readonly number[],
  terminated: readonly boolean[],
  nextValues: Float32Array,
  gamma: number,
): Float32Array {
  if (rewards.length !== nextValues.length || terminated.length !== nextValues.length) {
    throw new RangeError(
      `tdTargets: rewards has ${rewards.length} entries, terminated ${terminated.length}, nextValues ${nextValues.length}; all must be [batch]`,
    );
  }
  return Float32Array.from(rewards, (reward, i) => reward + (terminated[i] ? 0 : gamma * nextValues[i]));
}

/**
 * Squared error of values against fixed targets:
 *
 *     L = Σ w (V − y)²
 *
 * The targets are constants: no gradient goes through the bootstrap (semi-gradient TD, Sutton & Barto 2018, section 9.3).
 *
 * @param values [N] V, of the critic being trained
 * @param targets [N] y, for instance from `tdTargets`
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
