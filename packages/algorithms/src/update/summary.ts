import { maximum, mean, minimum, standardDeviation } from '@bowyer/core';
import type { Metrics } from '../types.js';

/** Mean, sample standard deviation, smallest and largest value, named `name_…`. */
export const summary = (name: string, values: ArrayLike<number>): Metrics => ({
  [`${name}_mean`]: mean(values),
  [`${name}_std`]: standardDeviation(values),
  [`${name}_min`]: minimum(values),
  [`${name}_max`]: maximum(values),
});
