import { hostArithmetic, type Arithmetic } from './arithmetic.js';
import { sameLength } from './token-loss.js';

/**
 * Computes PPO's clipped value loss:
 *
 *     clipped = V_old + clip(V − V_old, −ε, ε)
 *     L       = ½ Σ w max( (V − R)², (clipped − R)² )
 *
 * Source: the reference code of Schulman et al. 2017 (arXiv:1707.06347), openai/baselines ppo2; the paper itself has the plain
 * squared error, which is `clipRange: Infinity`.
 *
 * @param values [N] V, of the value head being trained
 * @param oldValues [N] V_old, of the head at the time of the rollout
 * @param returns [N] R, for instance `gae(…).returns`
 * @param weights [N] w, 1/N for a mean
 * @param options.clipRange ε, in units of the return
 * @returns the loss, its gradient by `values` [N], and the weighted share of values outside the interval
 */
export function clippedValueLoss(
  {
    values,
    oldValues,
    returns,
    weights,
  }: { values: Float32Array; oldValues: Float32Array; returns: Float32Array; weights: Float32Array },
  { clipRange }: { clipRange: number },
): { loss: number; gradient: Float32Array; clipFraction: number } {
  sameLength('clippedValueLoss', { values, oldValues, returns, weights });
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  const gradient = new Float32Array(values.length);
  let [loss, clipFraction] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = { value: values[i], oldValue: oldValues[i], target: returns[i], weight: weights[i] };
    const { error, clippedError, slope } = valueTerms(hostArithmetic, value, clipRange);
    loss += 0.5 * weights[i] * Math.max(error ** 2, clippedError ** 2);
    gradient[i] = slope;
    if (Math.abs(values[i] - oldValues[i]) > clipRange) clipFraction += weights[i] / totalWeight;
  }
  return { loss, gradient, clipFraction };
}

/** Computes the errors V − R and clipped − R, and the slope of the loss by V, with numbers or graph values. */
export function valueTerms<T, B>(
  a: Arithmetic<T, B>,
  { value, oldValue, target, weight }: Record<'value' | 'oldValue' | 'target' | 'weight', T>,
  clipRange: number,
): { error: T; clippedError: T; slope: T } {
  const error = a.sub(value, target);
  const free = a.mul(weight, error);
  if (clipRange === Infinity) return { error, clippedError: error, slope: free };
  const clippedError = a.sub(a.add(oldValue, a.clip(a.sub(value, oldValue), -clipRange, clipRange)), target);
  // The slope is 0 where the clipped error is larger: there V is outside the interval, on the side of the return.
  const slope = a.where(a.greaterOrEqual(a.square(error), a.square(clippedError)), free, 0);
  return { error, clippedError, slope };
}
