// A task as a unit: what `task` names. The command line knows no task but through this.
import type { ConfigProblem, Ranks } from '@bowyer/core';
import type { EnvParts } from '@bowyer/envs';
import type { ProgressOutput } from '@bowyer/logging';
import type { TProperties } from '@sinclair/typebox';
import type { Processes } from '../ranks/processes.js';
import type { AnyAlgorithm } from '@bowyer/algorithms';

/** What the command line gives to a task besides its config. */
export interface TaskContext {
  /** The run's folder. */
  directory: string;
  /** The resolved config as YAML, for the report. */
  configYaml: string;
  /** The resolved config with its keys as they are typed, for loggers. */
  plainConfig: Readonly<Record<string, unknown>>;
  /** The part of the config that decides the run's numbers. */
  decisive: Record<string, unknown>;
  /** An event: to the terminal and to run.log. */
  log(message: string, level?: 'INFO' | 'WARNING'): void;
  /** Results: to standard output, unchanged. */
  print(text: string): void;
  /** What environments get beside their options. */
  envParts: EnvParts;
  /** Where progress bars go. */
  progress: ProgressOutput;
  /** The processes that share the task; this one alone if not given. */
  ranks?: Ranks;
  /** The same, for the results; null where there is one. */
  processes?: Processes | null;
  /**
   * Registers what to do when the user asks to stop (Ctrl-C, SIGTERM), and what is logged then; null: nothing, the process
   * ends immediately, as it does at first. The second request always ends it immediately.
   */
  onInterrupt(stop: (() => void) | null, announcement?: string): void;
  /** Calls the listener with every line that is logged from now on. @returns ends that */
  onOutput(listener: (line: string, isError: boolean) => void): () => void;
  /** Does what the user's asking to stop would do, where something is registered for it. */
  requestStop(reason: string): void;
}

/** What a config has chosen, as far as it decides which keys there are. Nothing in it has been validated. */
export interface Choices {
  /** Null where the config names none that is registered. */
  algorithm: AnyAlgorithm | null;
  /** The name of the environment; null where none that is registered is named. */
  env: string | null;
  /** One key of the composed config, as `policy.endpoint`; undefined where it is absent. */
  setting(key: string): unknown;
}

export interface TaskUnit {
  name: string;
  description: string;
  /** JSON Schemas of all top-level keys that the task reads, in snake_case; defaults in configs/task/NAME.yaml. */
  keys(choices: Choices): TProperties;
  /** Whether several processes of mpirun or srun can run it together. */
  sharesRanks?: boolean;
  /** Plays episodes: has the node `env`, and gets the environment's parts. */
  plays: boolean;
  /** What the config lacks or contradicts, looked for before anything starts. `config` has camelCase keys. */
  problems?(config: Record<string, unknown>): ConfigProblem[] | Promise<ConfigProblem[]>;
  /** Imports the code that does the work; the compute stack is loaded here and not before. */
  load(): Promise<TaskCode>;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each task's config has been checked against its own schema
export type TaskCode = (config: any, context: TaskContext) => Promise<void>;
