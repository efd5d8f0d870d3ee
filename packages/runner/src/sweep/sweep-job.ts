// Defines the types that the modules of a sweep share: a job, one start of it, and its outcome.

/** One point of the sweep, with its own folder. */
export interface SweepJob {
  readonly number: number;
  /** The overrides in which this job differs from the others, as the sweeper wrote them. */
  readonly overrides: readonly string[];
  /** An absolute path. */
  readonly directory: string;
}

/** One start of a job: the whole training, or with successive halving, the training up to a resource. */
export interface JobStart {
  readonly job: SweepJob;
  /** The resource up to which the job trains, written as a further override; absent for the config's own length. */
  readonly resource?: { readonly key: string; readonly amount: number };
}

/** stopped: by the user, before its end; submitted: it waits or runs in Slurm. */
export type JobStatus = 'finished' | 'failed' | 'stopped' | 'submitted';

export interface JobOutcome {
  readonly status: JobStatus;
  /** The reason of a failure, or the resource that was reached; empty where there is nothing to report. */
  readonly note: string;
  /** Wall-clock time of all starts so far. */
  readonly seconds: number;
  /** Figures by the requested key; null where the job's files do not have it. */
  readonly metrics: Readonly<Record<string, number | null>>;
}

/** Decides which job is started next. `next` is called whenever a process is free, `report` whenever a job ends. */
export interface JobSource {
  /** Returns the next job; null when none can be started now. The sweep is over when none is running either. */
  next(): JobStart | null;
  report(start: JobStart, outcome: JobOutcome): void;
}

/** Writes `#3 seed=1 algorithm.actor.lr=0.001`, with the overrides that `shown` accepts. */
export function jobLabel({ number, overrides }: SweepJob, shown: (override: string) => boolean = () => true): string {
  return [`#${number}`, ...overrides.filter(shown)].join(' ');
}

/** Returns the key of an override text without prefix, package and value: `lr` for `++lr=1`, `env` for `+env@play=x`. */
export function overrideKey(override: string): string {
  return /^(?:\+\+|\+|~)?([^=@]*)/.exec(override)![1];
}
