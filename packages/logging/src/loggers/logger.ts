// A logger as a unit, as the option `logger` names it. It gets the same figures as metrics.jsonl, and must neither stop nor slow
// a run.
import type { OptionsOf, Trajectory } from '@bowyer/core';
import type { TObject } from '@sinclair/typebox';

/** The run that a logger writes of. */
export interface LoggedRun {
  /** The run's folder. */
  directory: string;
  project: string;
  name: string;
  /** The resolved config with its keys as they are typed. */
  config: Readonly<Record<string, unknown>>;
  /** Folders and files that the run begins with. */
  inputs: readonly { type: 'model' | 'dataset'; path: string }[];
  /** Lines of the metrics that are kept when the run is resumed: later ones will be logged again. 0: the run begins. */
  resumedAfter: number;
  /** Writes a message into the run's log. */
  note(message: string): void;
  /** Writes a warning into the run's log. */
  warn(message: string): void;
  /** Calls the listener with every line that the run logs from now on. @returns a function that ends this */
  onOutput(listener: (line: string, isError: boolean) => void): () => void;
  /** Asks the run to stop at its next checkpoint; absent where it cannot. */
  stop?(reason: string): void;
}

/** The results of one iteration, or of one interval of optimizer steps. */
export interface LoggedStep {
  /** Counted from 1, as in metrics.jsonl. */
  iteration: number;
  metrics: Readonly<Record<string, number>>;
  /** Wall-clock time of each phase since the last step, in seconds. */
  seconds: Readonly<Record<string, number>>;
  /** The episodes of this iteration's rollout. */
  episodes: readonly Trajectory[];
}

/** The outcome of a run. */
export interface LoggedEnd {
  status: 'finished' | 'stopped' | 'failed';
  /** Figures of the final test, empty where there is none. */
  results: Readonly<Record<string, number>>;
  /** Folder of the model that the run has made; null where there is none. */
  model: string | null;
}

/** A folder that the run has written, and may replace or remove at its next step. */
export interface LoggedCheckpoint {
  /** best: the best policy so far; last: what the run resumes from. */
  kind: 'best' | 'last';
  iteration: number;
  folder: string;
  /** The evaluation's figure of the best policy. */
  score?: number;
}

/** An open logger. Its calls come one after another. */
export interface RunLogger {
  log(step: LoggedStep): Promise<void>;
  /** Takes note of a folder that the run has written; absent where a logger does not keep checkpoints. */
  checkpoint?(written: LoggedCheckpoint): Promise<void>;
  /** Writes what is left. Called once, also after a failure. */
  close(end: LoggedEnd): Promise<void>;
}

export interface LoggerUnit<Options extends TObject = TObject> {
  name: string;
  description: string;
  /** Options in snake_case with meaning and unit; defaults in configs/logger/. */
  options: Options;
  /** Checks the options before any work of the run. @throws {Error} with what is missing */
  check?(run: Pick<LoggedRun, 'project' | 'name'>, options: OptionsOf<Options>): void;
  /** Opens the logger of a run. @param options with camelCase keys; they fit the schema */
  open(run: LoggedRun, options: OptionsOf<Options>): Promise<RunLogger>;
}

/** A unit whose schema is not known at compile time. */
// oxlint-disable-next-line typescript/no-explicit-any -- its options are checked against its own schema at run time
export type AnyLogger = LoggerUnit<any>;
