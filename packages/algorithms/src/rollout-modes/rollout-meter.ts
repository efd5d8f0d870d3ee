// Measures how old the weights are that played a rollout, and how long learner and collector wait for each other.
import { maximum, mean, type Trajectory } from '@bowyer/core';
import type { Metrics } from '../rollout/run-hooks.js';

/** Returns for each utterance the number of iterations between the weights that wrote it and those that learn from it. */
const stalenessOf = (rollout: readonly Trajectory[], iteration: number): number[] =>
  rollout.flatMap(({ segments }) =>
    segments.flatMap(({ utterances }) => utterances.map(({ policyVersion = iteration }) => iteration - policyVersion)),
  );

/** Measures how long learner and collector wait for each other, in milliseconds. */
export class RolloutMeter {
  #occupied = 0;
  #changedAt: number;
  #since: number;
  #collectorIdle = 0;
  #learnerIdle = 0;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.#changedAt = this.#since = now();
  }

  /** Records how many of the collector's slots for episodes are occupied from now on. @param share in [0, 1] */
  occupy(share: number): void {
    const now = this.now();
    this.#collectorIdle += (1 - this.#occupied) * (now - this.#changedAt);
    this.#changedAt = now;
    this.#occupied = share;
  }

  async waiting<Result>(work: Promise<Result>): Promise<Result> {
    const start = this.now();
    try {
      return await work;
    } finally {
      this.#learnerIdle += this.now() - start;
    }
  }

  take(): { milliseconds: number; learnerIdle: number; collectorIdle: number } {
    this.occupy(this.#occupied);
    const now = this.now();
    const taken = {
      milliseconds: now - this.#since,
      learnerIdle: this.#learnerIdle,
      collectorIdle: this.#collectorIdle,
    };
    this.#since = now;
    this.#learnerIdle = this.#collectorIdle = 0;
    return taken;
  }
}

export function stalenessMetrics(rollout: readonly Trajectory[], iteration: number): Metrics {
  const staleness = stalenessOf(rollout, iteration);
  if (staleness.length === 0) return {};
  return { 'rollout/staleness_mean': mean(staleness), 'rollout/staleness_max': maximum(staleness) };
}
