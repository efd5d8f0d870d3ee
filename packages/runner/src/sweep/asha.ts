/**
 * Asynchronous successive halving: many configurations get a small resource, and whenever a place is free the best 1/η of a
 * rung continues with η times as much. Nothing waits for a rung to fill.
 *
 *     get_job():  for rung k from the last but one down to 0:
 *                     candidates = the best ⌊|rung k| / η⌋ of those that finished rung k
 *                     if one of them was not promoted yet: return it, for rung k + 1
 *                 draw a configuration: return it, for rung 0
 *
 * Source: Li et al. 2018, arXiv:1810.05934, algorithm 2, with s = 0. Differs from it: the number of configurations is
 * limited; one that fails counts in the size of its rung and is never promoted; the last rung's resource is R itself, also
 * where R is not r · ηᵏ. This file only decides; it knows nothing of processes and files.
 */

interface AshaOptions {
  /** Configurations that may be drawn. */
  trials: number;
  /** Resource of each rung, ascending. */
  rungs: readonly number[];
  /** η. */
  reductionFactor: number;
  direction: 'maximize' | 'minimize';
}

/** A configuration that is to train until it has used up the resource of a rung. */
export interface AshaJob {
  trial: number;
  rung: number;
}

/**
 * Lists the resources r, r·η, r·η², …, R, in whole units.
 *
 * @param min r
 * @param max R
 * @param reductionFactor η
 */
export function rungResources(min: number, max: number, reductionFactor: number): number[] {
  const rungs = [min];
  // A step of less than one unit would repeat a rung.
  for (let next = min * reductionFactor; next <= max * (1 + 1e-9); next *= reductionFactor) {
    if (Math.round(next) > rungs.at(-1)!) rungs.push(Math.round(next));
  }
  if (rungs.length > 1) rungs[rungs.length - 1] = max;
  return rungs;
}

export class Asha {
  /** For each rung, the figure that each trial reached there; null where it failed. */
  readonly #results: Map<number, number | null>[];
  /** For each rung, the trials that were promoted from there. */
  readonly #promoted: Set<number>[];
  readonly #started = new Set<number>();
  /** Cut off by an earlier stop, to be started first. */
  readonly #unfinished: AshaJob[] = [];

  constructor(private readonly options: AshaOptions) {
    this.#results = options.rungs.map(() => new Map());
    this.#promoted = options.rungs.map(() => new Set());
  }

  /** Returns the trial to start in a place that is free; null when none can be started before another job ends. */
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

  /**
   * Notes a job's result.
   *
   * @param value the metric; null: the job failed
   */
  report({ trial, rung }: AshaJob, value: number | null): void {
    this.#results[rung].set(trial, value);
  }

  /**
   * Takes over what an earlier start of the search knew of a trial.
   *
   * @param values what it reached, by rung from 0
   * @param finished false: it was cut off, or failed, in the rung after those
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

  /** Returns the best of the highest rung that any trial has finished. */
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

  /** Ranks the trials that finished a rung, best first; of equals the one drawn first. */
  #ranked(rung: number): number[] {
    const sign = this.options.direction === 'maximize' ? -1 : 1;
    return [...this.#results[rung]]
      .filter((entry): entry is [number, number] => entry[1] !== null)
      .sort(([trialA, a], [trialB, b]) => sign * (a - b) || trialA - trialB)
      .map(([trial]) => trial);
  }
}
