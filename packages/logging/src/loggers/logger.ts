// Defines the interface of a logger, such as csv, tensorboard or wandb. The option `logger` selects it by name. A logger receives
// the metrics that are also written to metrics.jsonl. It must neither stop nor slow down the run.
import type { OptionsOf, Trajectory } from '@bowyer/core';
import type { TObject } from '@sinclair/typebox';

/** The training run or other run whose metrics a logger writes. */
export interface LoggedRun {
  directory: string;
  project: string;
  name: string;
  /** The resolved config of the run, with keys in snake_case as in its files. */
  config: Readonly<Record<string, unknown>>;
  /** The folders and files that the run reads when it begins, such as its model. */
  inputs: readonly { type: 'model' | 'dataset'; path: string }[];
  /**
   * The number of iterations whose metrics a logger keeps when the run is resumed from a checkpoint, since later iterations will
   * be logged again; 0 if the run begins.
   */
  resumedAfter: number;
  note(message: string): void;
  warn(message: string): void;
  /** Registers a listener for the lines that the run prints from now on. @returns a function that removes the listener */
  onOutput(listener: (line: string, isError: boolean) => void): () => void;
  /** Asks the run to stop at its next checkpoint; absent if the run cannot be stopped. */
  stop?(reason: string): void;
}

/** The metrics and episodes of one iteration, or of an interval of optimizer steps. */
export interface LoggedStep {
  /** The number of the iteration from 1, as in metrics.jsonl. */
  iteration: number;
  metrics: Readonly<Record<string, number>>;
  /** The wall-clock seconds that each phase, such as rollout, has taken since the last logged step. */
  seconds: Readonly<Record<string, number>>;
  episodes: readonly Trajectory[];
}

/** How a run has ended, and its results. */
export interface LoggedEnd {
  status: 'finished' | 'stopped' | 'failed';
  /** The metrics of the final test; empty if the run had no test. */
  results: Readonly<Record<string, number>>;
  /** The folder of the run's trained model; null if it has none. */
  model: string | null;
}

/** A checkpoint folder that the run has written. The run may replace or remove it at the next step. */
export interface LoggedCheckpoint {
  /** The kind of checkpoint. best: the best policy so far; last: the state from which the run can be resumed. */
  kind: 'best' | 'last';
  iteration: number;
  folder: string;
  /** The mean evaluation result of the best policy. */
  score?: number;
}

/** A logger that records one run. The run waits for each call before it makes the next. */
export interface RunLogger {
  log(step: LoggedStep): Promise<void>;
  /** Records a checkpoint after the run has written it; absent if the logger does not record checkpoints. */
  checkpoint?(written: LoggedCheckpoint): Promise<void>;
  /** Writes everything that is not written yet. It is called once, also after the run has failed. */
  close(end: LoggedEnd): Promise<void>;
}

export interface LoggerUnit<Options extends TObject = TObject> {
  name: string;
  description: string;
  /** The schema of the logger's options in snake_case, with the meaning and unit of each. The defaults are in configs/logger/. */
  options: Options;
  /** Checks the logger's options before the run begins. @throws {Error} that says what is missing */
  check?(run: Pick<LoggedRun, 'project' | 'name'>, options: OptionsOf<Options>): void;
  /** Opens the logger for a run. @param options valid by the schema, with keys in camelCase */
  open(run: LoggedRun, options: OptionsOf<Options>): Promise<RunLogger>;
}

/** A logger whose options are unknown at compile time. */
// oxlint-disable-next-line typescript/no-explicit-any -- options are checked against the unit's schema at run time
export type AnyLogger = LoggerUnit<any>;
