// Defines the interface of a logger, which the option `logger` selects by name. A logger gets the metrics that are written to
// metrics.jsonl. It must neither stop nor slow down a run.
import type { OptionsOf, Trajectory } from '@bowyer/core';
import type { TObject } from '@sinclair/typebox';

/** The run that a logger records. */
export interface LoggedRun {
  directory: string;
  project: string;
  name: string;
  /** The resolved config, with keys as in its files. */
  config: Readonly<Record<string, unknown>>;
  /** Folders and files that the run reads at its start. */
  inputs: readonly { type: 'model' | 'dataset'; path: string }[];
  /**
   * The number of iterations whose metrics are kept when the run is resumed. Later ones will be logged again. 0: the run begins.
   */
  resumedAfter: number;
  note(message: string): void;
  warn(message: string): void;
  /** Calls the listener with every line that the run logs from now on. @returns a function that removes the listener */
  onOutput(listener: (line: string, isError: boolean) => void): () => void;
  /** Asks the run to stop at its next checkpoint; absent if the run cannot. */
  stop?(reason: string): void;
}

/** The results of one iteration, or of an interval of optimizer steps. */
export interface LoggedStep {
  /** The number of the iteration from 1, as in metrics.jsonl. */
  iteration: number;
  metrics: Readonly<Record<string, number>>;
  /** The wall-clock seconds of each phase since the last step. */
  seconds: Readonly<Record<string, number>>;
  episodes: readonly Trajectory[];
}

/** The outcome of a run. */
export interface LoggedEnd {
  status: 'finished' | 'stopped' | 'failed';
  /** The metrics of the final test; empty without one. */
  results: Readonly<Record<string, number>>;
  /** The folder of the run's model; null without one. */
  model: string | null;
}

/** A folder that the run has written, and may replace or remove at the next step. */
export interface LoggedCheckpoint {
  /** best: the best policy so far; last: the state from which the run resumes. */
  kind: 'best' | 'last';
  iteration: number;
  folder: string;
  /** The best policy's result in the evaluation. */
  score?: number;
}

/** An open logger. Calls never overlap. */
export interface RunLogger {
  log(step: LoggedStep): Promise<void>;
  /** Called after the run has written a checkpoint; absent if the logger does not record checkpoints. */
  checkpoint?(written: LoggedCheckpoint): Promise<void>;
  /** Writes the rest. Called once, also after a failure. */
  close(end: LoggedEnd): Promise<void>;
}

export interface LoggerUnit<Options extends TObject = TObject> {
  name: string;
  description: string;
  /** The options in snake_case with meaning and unit. The defaults are in configs/logger/. */
  options: Options;
  /** Checks the options before the run begins. @throws {Error} that says what is missing */
  check?(run: Pick<LoggedRun, 'project' | 'name'>, options: OptionsOf<Options>): void;
  /** Opens the logger. @param options valid by the schema, with keys in camelCase */
  open(run: LoggedRun, options: OptionsOf<Options>): Promise<RunLogger>;
}

/** A unit whose options are unknown at compile time. */
// oxlint-disable-next-line typescript/no-explicit-any -- options are checked against the unit's schema at run time
export type AnyLogger = LoggerUnit<any>;
