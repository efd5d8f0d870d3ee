// Defines the interface of a task of the command line (`task=NAME`), such as train or evaluate.
import type { ConfigProblem, OptionsOf } from '@bowyer/core';
import type { TObject, TProperties } from '@sinclair/typebox';
import type { TaskContext } from '../context/task-context.js';
import type { Choices } from '../agent/keys/choices.js';

export interface TaskUnit {
  name: string;
  description: string;
  /**
   * Returns the schemas of the config nodes that the task reads, by name; the config node `task` has the options of the task
   * itself. configs/task/NAME.yaml is generated from them.
   */
  keys(choices: Choices): TProperties;
  /** Whether several processes that mpirun or srun has started can run the task together. */
  sharesRanks?: boolean;
  /**
   * Whether the task plays episodes. It then has the config node `env`, and its context has the objects that the environment
   * needs, such as an oracle.
   */
  plays: boolean;
  /**
   * Returns whether the task communicates with another program over standard output; log and results are then written to standard
   * error.
   */
  speaksOnStdout?(config: Record<string, unknown>): boolean;
  /**
   * Reports settings that are missing or contradict each other, before anything starts. The keys of `config` are in camelCase.
   */
  problems?(config: Record<string, unknown>): ConfigProblem[] | Promise<ConfigProblem[]>;
  /**
   * Imports the code of the task. The libraries that run models must be imported by this code only, since they take long to load.
   */
  load(): Promise<TaskCode>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- each task's config has been checked against its own schema
export type TaskCode = (config: any, context: TaskContext) => Promise<void>;

/**
 * The options of the task itself are in `task`.
 *
 * @template Given options that cannot be null, since the task's `problems` refuses null
 */
export type TaskConfig<Options extends TObject, Given extends keyof OptionsOf<Options> = never> = {
  task: { name: string } & OptionsOf<Options> & { [Key in Given]: NonNullable<OptionsOf<Options>[Key]> };
};
