// Defines the context that the command line gives to a task in addition to its config.
import type { Ranks } from '@bowyer/core';
import type { EnvParts } from '@bowyer/envs';
import type { ProgressOutput } from '@bowyer/logging';
import type { RunProgress } from './iteration-line.js';
import type { GivenAgent } from './given-agent.js';
import type { Processes } from './processes.js';
import type { ResolvedConfig } from './resolved-config.js';

/** The context of a task: its folder, its output, and the ways to stop it. */
export interface TaskContext {
  directory: string;
  /** The config with its part that the run's numbers depend on; the task receives the values as a separate argument. */
  config: ResolvedConfig;
  /** Logs an event to the terminal and to run.log. */
  log(message: string, level?: 'INFO' | 'WARNING'): void;
  /** Prints results to standard output, unchanged. */
  print(text: string): void;
  /** The parts of environments that are not options, such as an oracle. */
  envParts: EnvParts;
  /** The agent of a program that runs the task as a library, in place of the config's commands and files. */
  agent?: GivenAgent;
  /** Receives the run's progress: after an iteration, and after each rollout of an evaluation or a test. */
  onProgress?(progress: RunProgress): void;
  /** Aborted when a program that runs the task as a library wants it to stop. */
  signal?: AbortSignal;
  progress: ProgressOutput;
  /** The processes that share the task; this one alone if not given. */
  ranks?: Ranks;
  /** The hosts and threads of these processes, for the results; null for a single process. */
  processes?: Processes | null;
  /**
   * Registers what happens when the user asks to stop (Ctrl-C, SIGTERM), and what is logged then. With null, and before the first
   * call, the process ends immediately. The second request always ends it immediately.
   */
  onInterrupt(stop: (() => void) | null, announcement?: string): void;
  /** Calls the listener with every line that is logged from now on. @returns a function that removes the listener */
  onOutput(listener: (line: string, isError: boolean) => void): () => void;
  /** Stops the task like a user's request, if `onInterrupt` has registered a function. */
  requestStop(reason: string): void;
}

/** The part of a context that slow work needs: the log and the output of progress bars. */
export type Reporting = Pick<TaskContext, 'log' | 'progress'>;
