// A task as a unit: what `task` names. The command line knows no task but through this.
import type { ConfigProblem } from '@bowyer/core';
import type { TProperties } from '@sinclair/typebox';
import type { TaskContext } from '../context/task-context.js';
import type { Choices } from '@bowyer/agent';

export interface TaskUnit {
  name: string;
  description: string;
  /** JSON Schemas of all top-level keys that the task reads, in snake_case; defaults in configs, as task/NAME. */
  keys(choices: Choices): TProperties;
  /** Whether several processes of mpirun or srun can run it together. */
  sharesRanks?: boolean;
  /** Whether the task plays episodes: it then has the node `env`, and gets the environment's parts. */
  plays: boolean;
  /** Whether standard output carries a protocol of the task's own: log and results then go to standard error. */
  speaksOnStdout?(config: Record<string, unknown>): boolean;
  /** Looks for settings that are missing or contradict each other, before anything starts. `config` has camelCase keys. */
  problems?(config: Record<string, unknown>): ConfigProblem[] | Promise<ConfigProblem[]>;
  /** Imports the code that does the work; the compute stack is loaded here and not before. */
  load(): Promise<TaskCode>;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each task's config has been checked against its own schema
export type TaskCode = (config: any, context: TaskContext) => Promise<void>;
