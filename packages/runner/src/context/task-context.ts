// The context that the command line gives to a task besides its config.
import type { Ranks } from '@bowyer/core';
import type { EnvParts } from '@bowyer/envs';
import type { ProgressOutput } from '@bowyer/logging';
import type { RunProgress } from './iteration-line.js';
import type { GivenAgent } from './given-agent.js';
import type { Processes } from './processes.js';
import type { ResolvedConfig } from './resolved-config.js';

/** The context of a task: where it writes and reports, and how it is stopped. */
export interface TaskContext {
  /** The run's folder. */
  directory: string;
  /** The config as it was typed, and what of it decides the run's numbers; the task gets its values beside the context. */
  config: ResolvedConfig;
  /** An event: to the terminal and to run.log. */
  log(message: string, level?: 'INFO' | 'WARNING'): void;
  /** Results: to standard output, unchanged. */
  print(text: string): void;
  /** Objects that environments get beside their options, such as an oracle. */
  envParts: EnvParts;
  /** Given by a program that runs the task as a library, in place of the commands and files that the config names. */
  agent?: GivenAgent;
  /** Gets how far the run has come: after an iteration, and after each rollout of an evaluation or a test. */
  onProgress?(progress: RunProgress): void;
  /** Aborted where a program that runs the task as a library wants it to stop. */
  signal?: AbortSignal;
  /** The output of progress bars. */
  progress: ProgressOutput;
  /** The processes that share the task; this one alone if not given. */
  ranks?: Ranks;
  /** Their hosts and threads, for the results; null for a single process. */
  processes?: Processes | null;
  /**
   * Registers what to do when the user asks to stop (Ctrl-C, SIGTERM), and what is logged then; null: nothing, the process
   * ends immediately, as it does at first. The second request always ends it immediately.
   */
  onInterrupt(stop: (() => void) | null, announcement?: string): void;
  /** Calls the listener with every line that is logged from now on. @returns ends that */
  onOutput(listener: (line: string, isError: boolean) => void): () => void;
  /** Stops the task as a user's request would, where `onInterrupt` has registered how. */
  requestStop(reason: string): void;
}

/** The part of a context that slow work needs: a log, and where progress bars are shown. */
export type Reporting = Pick<TaskContext, 'log' | 'progress'>;
