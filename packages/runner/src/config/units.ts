// Finds the task, the algorithm and the environment that a composed config has chosen, and derives the config's schema from them.
import { Type, type TObject, type TProperties } from '@sinclair/typebox';
import { algorithmNames, findAlgorithm } from '@bowyer/algorithms';
import { group, unitOptions } from '@bowyer/core';
import { environmentNames } from '@bowyer/envs';
import type { Composition } from '@bowyer/config';
import { findTask, taskNames } from '../tasks/registry.js';
import type { Choices } from '../agent/keys/choices.js';
import type { TaskUnit } from '../tasks/task.js';

export function choicesOf(composition: Composition): Choices {
  const settings = new Map<string, unknown>();
  const setting = (key: string) => {
    if (!settings.has(key)) settings.set(key, safeSetting(composition, key));
    return settings.get(key);
  };
  const [algorithm, env] = [setting('algorithm.name'), setting('env.name')];
  return {
    algorithm: typeof algorithm === 'string' ? (findAlgorithm(algorithm) ?? null) : null,
    env: typeof env === 'string' && environmentNames().includes(env) ? env : null,
    setting,
  };
}

/** Finds the key that names an unregistered environment or algorithm, and makes a schema that refuses the name. */
export function unknownUnit(composition: Composition): { key: string; schema: TObject } | undefined {
  const { algorithm, env, setting } = choicesOf(composition);
  const oneOfNames = (names: string[]) => Type.Object({ name: Type.Unsafe<string>({ type: 'string', enum: names }) });
  if (env === null && typeof setting('env.name') === 'string')
    return { key: 'env.name', schema: Type.Object({ env: oneOfNames(environmentNames()) }) };
  if (algorithm === null && typeof setting('algorithm.name') === 'string')
    return { key: 'algorithm.name', schema: Type.Object({ algorithm: oneOfNames(algorithmNames()) }) };
  return undefined;
}

/** Undefined where the interpolation cannot be resolved, which the validation reports with file and line. */
function safeSetting(composition: Composition, key: string): unknown {
  try {
    return composition.setting(key);
  } catch {
    return undefined;
  }
}

export function taskOf(composition: Composition): TaskUnit | undefined {
  const name = safeSetting(composition, 'task.name');
  return typeof name === 'string' ? findTask(name) : undefined;
}

/** Returns the schemas of a task's config nodes, by name. The config node `task` also has the name of the task. */
export function optionsOf(unit: TaskUnit | undefined, choices: Choices): TProperties {
  const { task, ...others } = unit?.keys(choices) ?? {};
  const name = Type.Unsafe<string>({
    type: 'string',
    enum: taskNames(),
    description: 'what the run does',
    flat: 'task',
  });
  return { task: group({ name, ...(task as TObject | undefined)?.properties }, 'what the run does'), ...others };
}

/** Makes the JSON Schema of a complete config, for the task, algorithm and environment that the config names. */
export const schemaOf = (composition: Composition): TObject =>
  unitOptions(optionsOf(taskOf(composition), choicesOf(composition)));
