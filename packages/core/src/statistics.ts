// Computes descriptive statistics of plain arrays; each function names its convention.

export function mean(xs: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < xs.length; i++) sum += xs[i];
  return sum / xs.length;
}

/** Computes the unbiased sample standard deviation; 0 for a single value. */
export function standardDeviation(xs: ArrayLike<number>): number {
  if (xs.length < 2) return 0;
  const m = mean(xs);
  let squares = 0;
  for (let i = 0; i < xs.length; i++) squares += (xs[i] - m) ** 2;
  return Math.sqrt(squares / (xs.length - 1));
}

export function standardError(xs: ArrayLike<number>): number {
  return standardDeviation(xs) / Math.sqrt(xs.length);
}

export function minimum(xs: ArrayLike<number>): number {
  let least = Infinity;
  for (let i = 0; i < xs.length; i++) least = Math.min(least, xs[i]);
  return least;
}

export function maximum(xs: ArrayLike<number>): number {
  let most = -Infinity;
  for (let i = 0; i < xs.length; i++) most = Math.max(most, xs[i]);
  return most;
}

/** Computes the q-quantile with linear interpolation between order statistics (NumPy's default). */
export function quantile(xs: readonly number[], q: number): number {
  if (xs.length === 0) throw new RangeError('quantile: no values');
  const sorted = [...xs].sort((a, b) => a - b);
  const position = q * (sorted.length - 1);
  const low = Math.floor(position);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (position - low) * (sorted[high] - sorted[low]);
}

/** Computes Pearson's correlation; 0 if one side is constant. */
export function correlation(xs: ArrayLike<number>, ys: ArrayLike<number>): number {
  const [mx, my] = [mean(xs), mean(ys)];
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < xs.length; i++) {
    xy += (xs[i] - mx) * (ys[i] - my);
    xx += (xs[i] - mx) ** 2;
    yy += (ys[i] - my) ** 2;
  }
  return xx === 0 || yy === 0 ? 0 : xy / Math.sqrt(xx * yy);
}

/** The number that is added to the standard deviation, as in the reference code of PPO. */
const WHITENING_EPSILON = 1e-8;

/** Computes (x − mean) / (population standard deviation + 1e-8). */
export function whiten(xs: Float32Array): Float32Array {
  const m = mean(xs);
  const deviation = Math.sqrt(xs.reduce((sum, x) => sum + (x - m) ** 2, 0) / xs.length);
  return xs.map((x) => (x - m) / (deviation + WHITENING_EPSILON));
}
