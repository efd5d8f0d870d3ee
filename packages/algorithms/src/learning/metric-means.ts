// Averages values that are measured several times in an iteration, and summarises lists of values, for the logged metrics.
import { maximum, mean, minimum, standardDeviation } from '@bowyer/core';
import type { Metrics } from '../rollout/run-hooks.js';

export class RunningMeans {
  readonly #measured = new Map<string, number[]>();

  add(metrics: Metrics): void {
    for (const [name, value] of Object.entries(metrics)) {
      const values = this.#measured.get(name);
      if (values) values.push(value);
      else this.#measured.set(name, [value]);
    }
  }

  values(): Metrics {
    return Object.fromEntries([...this.#measured].map(([name, values]) => [name, mean(values)]));
  }
}

/** Computes mean, sample standard deviation, smallest and largest value, named `name_…`. */
export const summary = (name: string, values: ArrayLike<number>): Metrics => ({
  [`${name}_mean`]: mean(values),
  [`${name}_std`]: standardDeviation(values),
  [`${name}_min`]: minimum(values),
  [`${name}_max`]: maximum(values),
});
