// The words that the parts of a sweep share: a job, one start of it, and how that ended.

/** One point of the sweep, with a folder of its own. */
export interface SweepJob {
  readonly number: number;
  /** The overrides that set this job apart, as the sweeper wrote them. */
  readonly overrides: readonly string[];
  /** Absolute. */
  readonly directory: string;
}

/** One start of a job: the whole of it, or for a sweeper that halves, its training up to some resource. */
export interface JobStart {
  readonly job: SweepJob;
  /** How far the job is to train, written as one more override; absent: as in its config. */
  readonly resource?: { readonly key: string; readonly amount: number };
}

/** stopped: by the user, before its end; submitted: left in Slurm's queue, or running there. */
export type JobStatus = 'finished' | 'failed' | 'stopped' | 'submitted';

export interface JobOutcome {
  readonly status: JobStatus;
  /** Why it failed, or at which resource it stands; empty where there is nothing to report. */
  readonly note: string;
  /** Wall-clock time of all starts so far. */
  readonly seconds: number;
  /** Figures by the key that was asked for; null where the job's files do not have it. */
  readonly metrics: Readonly<Record<string, number | null>>;
}

/** Decides what is started next. Asked whenever a place is free; gets a report whenever a job ends. */
export interface JobSource {
  /** Returns the next job; null: nothing to start now. When nothing is running either, the sweep is over. */
  next(): JobStart | null;
  report(start: JobStart, outcome: JobOutcome): void;
}

/** Writes `#3 seed=1 lm_lr=0.001`, with what is not wanted left out. */
export function jobLabel({ number, overrides }: SweepJob, shown: (override: string) => boolean = () => true): string {
  return [`#${number}`, ...overrides.filter(shown)].join(' ');
}

/** Returns the key of an override text without prefix, package and value: `lr` for `++lr=1`, `env` for `+env@play=x`. */
export function overrideKey(override: string): string {
  return /^(?:\+\+|\+|~)?([^=@]*)/.exec(override)![1];
}
