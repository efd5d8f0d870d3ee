// The task, algorithm and environment that a composed config has chosen, and the schema that follows from them.
import { Type, type TObject, type TProperties } from '@sinclair/typebox';
import { algorithmNames, findAlgorithm } from '@bowyer/algorithms';
import { environmentNames } from '@bowyer/envs';
import type { Composition } from '@bowyer/config';
import { findTask, taskNames } from '../tasks/registry.js';
import type { Choices } from '@bowyer/agent';
import type { TaskUnit } from '../tasks/task.js';

export function choicesOf(composition: Composition): Choices {
  const settings = new Map<string, unknown>();
  const setting = (key: string) => {
    if (!settings.has(key)) settings.set(key, safeSetting(composition, key));
    return settings.get(key);
  };
  const [agent, env] = [setting('agent_type'), setting('env.name')];
  return {
    algorithm: typeof agent === 'string' ? (findAlgorithm(agent) ?? null) : null,
    env: typeof env === 'string' && environmentNames().includes(env) ? env : null,
    setting,
  };
}

/** The key that names an environment or algorithm that is not registered, and a schema that refuses it. */
export function unknownUnit(composition: Composition): { key: string; schema: TObject } | undefined {
  const { algorithm, env, setting } = choicesOf(composition);
  const oneOfNames = (names: string[]) => Type.Unsafe<string>({ type: 'string', enum: names });
  if (env === null && typeof setting('env.name') === 'string')
    return { key: 'env.name', schema: Type.Object({ env: Type.Object({ name: oneOfNames(environmentNames()) }) }) };
  if (algorithm === null && typeof setting('agent_type') === 'string')
    return { key: 'agent_type', schema: Type.Object({ agent_type: oneOfNames(algorithmNames()) }) };
  return undefined;
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
