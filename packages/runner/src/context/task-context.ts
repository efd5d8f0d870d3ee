// Defines the context that the command line, or a calling program, gives to a task in addition to its config.
import type { Ranks } from '@bowyer/core';
import type { EnvParts } from '@bowyer/envs';
import type { ProgressOutput } from '@bowyer/logging';
import type { RunProgress } from './iteration-line.js';
import type { GivenAgent } from './given-agent.js';
import type { Processes } from './processes.js';
import type { ResolvedConfig } from './resolved-config.js';

/** The context of a task: the folder of its run, its output, and the ways to stop it. */
export interface TaskContext {
  directory: string;
  /**
   * The resolved config, including the options on which the results depend; the task receives the values as a separate argument.
   */
  config: ResolvedConfig;
  /** Logs a message to the terminal and to run.log. */
  log(message: string, level?: 'INFO' | 'WARNING'): void;
  /** Prints results to standard output, unchanged. */
  print(text: string): void;
  /** The objects that environments need in addition to their options, such as an oracle. */
  envParts: EnvParts;
  /** The agent function of a program that runs the task as a library; it replaces the config's agent command and task files. */
  agent?: GivenAgent;
  /** Receives the run's progress after each iteration of training, and after each rollout of an evaluation or a test. */
  onProgress?(progress: RunProgress): void;
  /** Aborted when a program that runs the task as a library wants it to stop. */
  signal?: AbortSignal;
  progress: ProgressOutput;
  /** The processes that run the task together in data-parallel training; if absent, this process is the only one. */
  ranks?: Ranks;
  /** The hosts and threads of the processes in `ranks`, for the results; null for a single process. */
  processes?: Processes | null;
  /**
   * Registers what is called and logged when the user asks the task to stop (Ctrl-C, SIGTERM). With null, and before the first
   * call, such a request ends the process immediately, as a second request always does.
   */
  onInterrupt(stop: (() => void) | null, announcement?: string): void;
  /** Calls the listener with every line that is logged from now on. @returns a function that removes the listener */
  onOutput(listener: (line: string, isError: boolean) => void): () => void;
  /** Stops the task as a user's request does, if `onInterrupt` has registered a function. */
  requestStop(reason: string): void;
}

/** The part of a task's context that slow operations need: the log and the output of progress bars. */
export type Reporting = Pick<TaskContext, 'log' | 'progress'>;
