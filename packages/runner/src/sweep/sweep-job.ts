// Defines the types that all modules of a sweep share: a job, a start of a job (it may be started several times), and its
// outcome.

/** One run of a sweep (a point of its search space), which has its own folder. */
export interface SweepJob {
  readonly number: number;
  /** The overrides in which this job differs from the others, as the sweeper wrote them. */
  readonly overrides: readonly string[];
  /** The absolute path of the job's folder. */
  readonly directory: string;
}

/** One start of a job: it trains to the end of the config or, with successive halving, up to a resource. */
export interface JobStart {
  readonly job: SweepJob;
  /** The config key, and its value up to which the job now trains; absent if the job's config limits the training. */
  readonly resource?: { readonly key: string; readonly amount: number };
}

/** stopped: the user ended the job before its end; submitted: the job waits or runs in Slurm. */
export type JobStatus = 'finished' | 'failed' | 'stopped' | 'submitted';

export interface JobOutcome {
  readonly status: JobStatus;
  /** The reason why the job failed, or the resource that it has reached; empty where there is nothing to report. */
  readonly note: string;
  /** The wall-clock seconds of all processes of the job so far. */
  readonly seconds: number;
  /** Null where the job's files do not have the metric. */
  readonly metrics: Readonly<Record<string, number | null>>;
}

/** Decides which job starts next: the launcher calls `next` whenever a process is free, and `report` whenever a job ends. */
export interface JobSource {
  /** Null when no job can be started now. The sweep is over when it returns null and no job is running. */
  next(): JobStart | null;
  report(start: JobStart, outcome: JobOutcome): void;
}

/** Such as `#3 seed=1 algorithm.actor.lr=0.001`, with those overrides that `shown` accepts. */
export function jobLabel({ number, overrides }: SweepJob, shown: (override: string) => boolean = () => true): string {
  return [`#${number}`, ...overrides.filter(shown)].join(' ');
}

/** Returns the key of an override without prefix, package and value: `lr` for `++lr=1`, `env` for `+env@play=x`. */
export function overrideKey(override: string): string {
  return /^(?:\+\+|\+|~)?([^=@]*)/.exec(override)![1];
}
