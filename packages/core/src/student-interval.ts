// Computes confidence intervals of a mean of clustered values by Student's t, and interprets the interval of a difference.
import type { Interval } from './bootstrap-interval.js';

/** The interpretation of an interval of a difference: `improved` if it is above 0, `worse` if below, `equal` if it contains 0. */
export type GainVerdict = 'improved' | 'equal' | 'worse';

/** Returns whether a new agent is better than an old one, given the interval of their difference. */
export const gainVerdict = ({ low, high }: Interval): GainVerdict =>
  low > 0 ? 'improved' : high < 0 ? 'worse' : 'equal';

export interface ClusteredMean extends Interval {
  mean: number;
  standardError: number;
  clusters: number;
}

/**
 * Estimates the mean of all values with an interval derived from the spread between clusters, since values of one cluster
 * (rollouts of one task) are correlated. With few clusters it is wider than a bootstrap interval, which then covers too little.
 *
 *     m = Σ_c s_c / Σ_c n_c        SE² = k/(k − 1) · Σ_c (s_c − n_c m)² / (Σ_c n_c)²        m ± t_{k−1} · SE
 *
 * Source: the ratio estimator of cluster sampling, Cochran 1977, Sampling Techniques, section 9A.2.
 *
 * @param clusters values by cluster
 * @returns an unbounded interval for a single cluster, whose spread is unknown
 * @throws RangeError without values
 */
export function clusteredMean(clusters: readonly (readonly number[])[], level = 0.95): ClusteredMean {
  return ratioMean(
    clusters.map((values) => ({ sum: values.reduce((total, value) => total + value, 0), count: values.length })),
    level,
  );
}

/** Computes the same as `clusteredMean`, from the sum and the count of each cluster's values. */
export function ratioMean(clusters: readonly { sum: number; count: number }[], level = 0.95): ClusteredMean {
  const sums = clusters.filter((own) => own.count > 0);
  const k = sums.length;
  if (k === 0) throw new RangeError('clusteredMean: no values');
  const count = sums.reduce((total, own) => total + own.count, 0);
  const mean = sums.reduce((total, { sum }) => total + sum, 0) / count;
  if (k === 1) return { mean, standardError: Infinity, low: -Infinity, high: Infinity, clusters: 1 };
  const squares = sums.reduce((total, own) => total + (own.sum - own.count * mean) ** 2, 0);
  const standardError = Math.sqrt((k / (k - 1)) * squares) / count;
  const half = studentQuantile((1 + level) / 2, k - 1) * standardError;
  return { mean, standardError, low: mean - half, high: mean + half, clusters: k };
}

/** Returns the quantile of Student's t distribution. `probability` is in (0, 1); `freedom` is at least 1. */
export function studentQuantile(probability: number, freedom: number): number {
  if (probability < 0.5) return -studentQuantile(1 - probability, freedom);
  // Bisection over the angle θ = atan(t / √ν), in which the distribution function is smooth.
  let [low, high] = [0, Math.PI / 2];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (halfDistribution(middle, freedom) < 2 * probability - 1) low = middle;
    else high = middle;
  }
  return Math.sqrt(freedom) * Math.tan((low + high) / 2);
}

/** Returns P(|T| ≤ √ν tan θ), a finite sum of powers of cos θ (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4). */
function halfDistribution(theta: number, freedom: number): number {
  const [sine, cosine] = [Math.sin(theta), Math.cos(theta)];
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let j = isOdd ? 3 : 2; j < freedom; j += 2) {
    term *= (cosine * cosine * (j - 1)) / j;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (theta + sine * sum) : sine * sum;
}
