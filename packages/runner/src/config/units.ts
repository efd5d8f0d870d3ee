// What a composed config has chosen: its task, algorithm and environment, and the schema that follows from them.
import { Type, type TObject, type TProperties } from '@sinclair/typebox';
import { findAlgorithm } from '@bowyer/algorithms';
import { environmentNames } from '@bowyer/envs';
import type { Composition } from '@bowyer/config';
import { findTask, taskNames } from '../tasks/registry.js';
import type { Choices, TaskUnit } from '../tasks/task.js';

export function choicesOf(composition: Composition): Choices {
  const setting = (key: string) => safeSetting(composition, key);
  const [agent, env] = [setting('agent_type'), setting('env.name')];
  return {
    algorithm: typeof agent === 'string' ? (findAlgorithm(agent) ?? null) : null,
    env: typeof env === 'string' && environmentNames().includes(env) ? env : null,
    setting,
  };
}

/** An interpolation that leads nowhere is reported by the validation, with its place. */
function safeSetting(composition: Composition, key: string): unknown {
  try {
    return composition.setting(key);
  } catch {
    return undefined;
  }
}

export function taskOf(composition: Composition): TaskUnit | undefined {
  const name = safeSetting(composition, 'task');
  return typeof name === 'string' ? findTask(name) : undefined;
}

/** The JSON Schema of the whole config, for the task, algorithm and environment that it names. */
export function schemaOf(composition: Composition): TObject {
  const unit = taskOf(composition);
  const task = Type.Unsafe<string>({ type: 'string', enum: taskNames(), description: 'what the run does' });
  const keys: TProperties = unit?.keys(choicesOf(composition)) ?? {};
  return Type.Object({ task, ...keys }, { additionalProperties: unit === undefined });
}
