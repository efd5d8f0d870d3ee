/**
 * Implements asynchronous successive halving: many configurations are trained with a small resource (such as few iterations). Those
 * that have used the same resource form a rung; whenever a process is free, one of the best 1/η of a rung is promoted and continues
 * with η times as much. No promotion waits for a rung to fill.
 *
 *     get_job():  for rung k from the last but one down to 0:
 *                     candidates = the best ⌊|rung k| / η⌋ of those that finished rung k
 *                     if one of them was not promoted yet: return it, for rung k + 1
 *                 draw a configuration: return it, for rung 0
 *
 * Source: Li et al. 2018, arXiv:1810.05934, algorithm 2, with s = 0. Differs from it: the number of configurations is limited; a
 * failed configuration counts in the size of its rung and is never promoted; the last rung's resource is R, even if R is not r ·
 * ηᵏ. This file does not start processes and reads no files.
 */

interface AshaOptions {
  /** The largest number of configurations that are drawn. */
  trials: number;
  /**
   * The resource of each rung, in ascending order. A rung is a level at which trials that have used the same resource are
   * compared.
   */
  rungs: readonly number[];
  /** η, the factor between the resources of two rungs. */
  reductionFactor: number;
  direction: 'maximize' | 'minimize';
}

/** A trial, to be trained until it has used the resource of a rung. */
export interface AshaJob {
  trial: number;
  rung: number;
}

/**
 * The resources r, r·η, r·η², …, R.
 *
 * @param min r
 * @param max R
 * @param reductionFactor η
 */
export function rungResources(min: number, max: number, reductionFactor: number): number[] {
  const rungs = [min];
  // Resources that round to the same integer are listed once.
  for (let next = min * reductionFactor; next <= max * (1 + 1e-9); next *= reductionFactor) {
    if (Math.round(next) > rungs.at(-1)!) rungs.push(Math.round(next));
  }
  if (rungs.length > 1) rungs[rungs.length - 1] = max;
  return rungs;
}

export class Asha {
  /** For each rung, the value of the metric with which each trial finished it; null for a trial that failed. */
  readonly #results: Map<number, number | null>[];
  /** For each rung, the trials that were promoted to the next rung. */
  readonly #promoted: Set<number>[];
  readonly #started = new Set<number>();
  /** Jobs that were interrupted when the sweep was last stopped; they are started first. */
  readonly #unfinished: AshaJob[] = [];

  constructor(private readonly options: AshaOptions) {
    this.#results = options.rungs.map(() => new Map());
    this.#promoted = options.rungs.map(() => new Set());
  }

  /** Returns the job that a free process should run; null when none can be started before another job ends. */
  next(): AshaJob | null {
    const unfinished = this.#unfinished.shift();
    if (unfinished) return unfinished;
    for (let rung = this.options.rungs.length - 2; rung >= 0; rung--) {
      const trial = this.#promotable(rung);
      if (trial === undefined) continue;
      this.#promoted[rung].add(trial);
      return { trial, rung: rung + 1 };
    }
    for (let trial = 0; trial < this.options.trials; trial++) {
      if (this.#started.has(trial)) continue;
      this.#started.add(trial);
      return { trial, rung: 0 };
    }
    return null;
  }

  /** @param value of the metric; null for a failed job */
  report({ trial, rung }: AshaJob, value: number | null): void {
    this.#results[rung].set(trial, value);
  }

  /**
   * @param values the values of the metric that the trial has reached, by rung from 0
   * @param finished false if the trial was interrupted or failed in the next rung
   */
  restore(trial: number, values: readonly number[], finished: boolean): void {
    this.#started.add(trial);
    for (const [rung, value] of values.entries()) {
      this.#results[rung].set(trial, value);
      if (rung > 0) this.#promoted[rung - 1].add(trial);
    }
    const rung = values.length;
    if (finished || rung >= this.options.rungs.length) return;
    if (rung > 0) this.#promoted[rung - 1].add(trial);
    this.#unfinished.push({ trial, rung });
  }

  /** Returns the best trial of the highest rung that any trial has finished. */
  best(): (AshaJob & { value: number }) | null {
    for (let rung = this.options.rungs.length - 1; rung >= 0; rung--) {
      const [trial] = this.#ranked(rung);
      if (trial !== undefined) return { trial, rung, value: this.#results[rung].get(trial)! };
    }
    return null;
  }

  #promotable(rung: number): number | undefined {
    const count = Math.floor(this.#results[rung].size / this.options.reductionFactor);
    return this.#ranked(rung)
      .slice(0, count)
      .find((trial) => !this.#promoted[rung].has(trial));
  }

  /** Ranks the trials that finished a rung, best first; trials with equal values are in the order in which they were drawn. */
  #ranked(rung: number): number[] {
    const sign = this.options.direction === 'maximize' ? -1 : 1;
    return [...this.#results[rung]]
      .filter((entry): entry is [number, number] => entry[1] !== null)
      .sort(([trialA, a], [trialB, b]) => sign * (a - b) || trialA - trialB)
      .map(([trial]) => trial);
  }
}
