// Defines the interface through which the command line knows tasks.
import type { ConfigProblem, OptionsOf } from '@bowyer/core';
import type { TObject, TProperties } from '@sinclair/typebox';
import type { TaskContext } from '../context/task-context.js';
import type { Choices } from '../agent/keys/choices.js';

export interface TaskUnit {
  name: string;
  description: string;
  /** The task's options, as nodes; the config node `task` has the task's own. configs/task/NAME.yaml is generated from them. */
  keys(choices: Choices): TProperties;
  /** Whether several processes of mpirun or srun can run it together. */
  sharesRanks?: boolean;
  /** Whether the task plays episodes: it then has the config node `env`, and gets the environment's parts. */
  plays: boolean;
  /** Whether standard output carries a protocol; log and results then go to standard error. */
  speaksOnStdout?(config: Record<string, unknown>): boolean;
  /** Lists settings that are missing or contradict each other, before anything starts. `config` has camelCase keys. */
  problems?(config: Record<string, unknown>): ConfigProblem[] | Promise<ConfigProblem[]>;
  /** Imports the code that does the work. The compute stack must be loaded here and not before. */
  load(): Promise<TaskCode>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- each task's config has been checked against its own schema
export type TaskCode = (config: any, context: TaskContext) => Promise<void>;

/**
 * The config that a task's code gets: the task's own options are in `task`.
 *
 * @template Given options that cannot be null, since the task's `problems` refuses null
 */
export type TaskConfig<Options extends TObject, Given extends keyof OptionsOf<Options> = never> = {
  task: { name: string } & OptionsOf<Options> & { [Key in Given]: NonNullable<OptionsOf<Options>[Key]> };
};
