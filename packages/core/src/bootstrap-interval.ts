// Computes confidence intervals of a mean by resampling.
import { quantile } from './statistics.js';
import type { Rng } from './rng.js';

export interface Interval {
  low: number;
  high: number;
}

export interface BootstrapOptions {
  resamples?: number;
  /** The share of the resampled means inside the interval. */
  level?: number;
}

/**
 * Computes the percentile bootstrap interval of the mean of all values (Efron and Tibshirani 1993, section 13.3). Whole clusters are
 * resampled, since values of one cluster (episodes of one item) are correlated; clusters of one value each give the plain bootstrap.
 * A single cluster gives an interval of width 0, which says nothing about the mean.
 *
 * @param clusters values by cluster; empty clusters are ignored
 */
export function bootstrapMean(
  clusters: readonly (readonly number[])[],
  rng: Rng,
  { resamples = 2000, level = 0.95 }: BootstrapOptions = {},
): Interval {
  const means = bootstrapMeans(clusters, rng, resamples);
  const tail = (1 - level) / 2;
  return { low: quantile(means, tail), high: quantile(means, 1 - tail) };
}

/** Returns [resamples] means of values whose clusters are drawn with replacement. @throws RangeError without values */
export function bootstrapMeans(clusters: readonly (readonly number[])[], rng: Rng, resamples: number): number[] {
  const sums = clusters
    .filter(({ length }) => length > 0)
    .map((values) => ({ sum: values.reduce((total, value) => total + value, 0), count: values.length }));
  if (sums.length === 0) throw new RangeError('bootstrapMean: no values');
  return Array.from({ length: resamples }, () => {
    let [sum, count] = [0, 0];
    for (let draw = 0; draw < sums.length; draw++) {
      const drawn = sums[rng.integer(0, sums.length - 1)];
      sum += drawn.sum;
      count += drawn.count;
    }
    return sum / count;
  });
}
