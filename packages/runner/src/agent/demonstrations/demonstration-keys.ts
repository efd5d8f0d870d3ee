// Defines the config node `demonstrations`, which also has the options of the chosen environment's expert.
import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import { toSnakeCase, type ConfigProblem } from '@bowyer/core';
import { isConversationFile } from '@bowyer/conversations';
import { environmentInfo } from '@bowyer/envs';
import { demonstrationsProblem, fileProblem } from './demonstrations.js';
import type { Choices } from '../keys/choices.js';
import type { EnvConfig } from '../environment/environment-keys.js';
import { demonstrationFileKeys, demonstrationKeys } from '../keys/warm-start-keys.js';

const options = { additionalProperties: false, description: 'expert play to imitate' };

export function demonstrationsNode({ env, setting }: Choices): TSchema {
  const { path } = demonstrationKeys;
  const file = setting('demonstrations.path');
  // If `demonstrations.path` is not known, the schema has the options for a file and those for an expert.
  if (file === undefined)
    return Type.Object({ ...demonstrationKeys, ...demonstrationFileKeys, ...keysOfExpert(env) }, options);
  // The file replaces the expert, so that neither `count` nor the options of the expert are read.
  if (file !== null) {
    const read = typeof file === 'string' && isConversationFile(file) ? demonstrationFileKeys : {};
    return Type.Object({ path, ...read }, options);
  }
  return Type.Object({ ...demonstrationKeys, ...keysOfExpert(env) }, options);
}

function keysOfExpert(env: string | null): TProperties {
  const { properties = {} } = (env === null ? undefined : environmentInfo(env).demonstrations)?.schema ?? {};
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [toSnakeCase(key), Type.Unsafe(schema)]));
}

/** Reports a run that would have no demonstrations: the file does not exist, or the environment has no expert. */
export function demonstrationProblems(config: Record<string, unknown>): ConfigProblem[] {
  const { demonstrations, env } = config as { demonstrations: { path: string | null }; env: EnvConfig };
  const problem = demonstrations.path === null ? demonstrationsProblem(env) : fileProblem(demonstrations.path);
  return problem === null ? [] : [problem];
}
