import { mean } from '@bowyer/core';
import type { Metrics } from '../types.js';

/** Means of metrics that are measured several times in an iteration. */
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
