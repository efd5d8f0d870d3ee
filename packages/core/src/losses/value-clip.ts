import { sameLength } from './token-loss.js';

/**
 * PPO's clipped value loss:
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
    const clipped = oldValues[i] + Math.min(Math.max(values[i] - oldValues[i], -clipRange), clipRange);
    const [error, clippedError] = [values[i] - returns[i], clipped - returns[i]];
    loss += 0.5 * weights[i] * Math.max(error ** 2, clippedError ** 2);
    // Flat where the clipped error is the larger one: V is outside the interval, on the side of the return.
    if (error ** 2 >= clippedError ** 2) gradient[i] = weights[i] * error;
    if (clipped !== values[i]) clipFraction += weights[i] / totalWeight;
  }
  return { loss, gradient, clipFraction };
}
