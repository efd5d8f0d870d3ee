// A task as a unit: the command line knows tasks only through this interface.
import type { ConfigProblem, OptionsOf } from '@bowyer/core';
import type { TObject, TProperties } from '@sinclair/typebox';
import type { TaskContext } from '../context/task-context.js';
import type { Choices } from '../agent/keys/choices.js';

export interface TaskUnit {
  name: string;
  description: string;
  /**
   * The options that the task reads: nodes, of which `task` has those of the task itself. configs/task/NAME.yaml is written from them.
   */
  keys(choices: Choices): TProperties;
  /** Whether several processes of mpirun or srun can run it together. */
  sharesRanks?: boolean;
  /** Whether the task plays episodes: it then has the node `env`, and gets the environment's parts. */
  plays: boolean;
  /** Whether standard output carries a protocol of the task's own: log and results then go to standard error. */
  speaksOnStdout?(config: Record<string, unknown>): boolean;
  /** Lists settings that are missing or contradict each other, before anything starts. `config` has camelCase keys. */
  problems?(config: Record<string, unknown>): ConfigProblem[] | Promise<ConfigProblem[]>;
  /** Imports the code that does the work; the compute stack is loaded here and not before. */
  load(): Promise<TaskCode>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- each task's config has been checked against its own schema
export type TaskCode = (config: any, context: TaskContext) => Promise<void>;

/**
 * The config of a task in its code: its own options are in `task`.
 *
 * @template Given options that are not null there, since the task's `problems` refuses that
 */
export type TaskConfig<Options extends TObject, Given extends keyof OptionsOf<Options> = never> = {
  task: { name: string } & OptionsOf<Options> & { [Key in Given]: NonNullable<OptionsOf<Options>[Key]> };
};
