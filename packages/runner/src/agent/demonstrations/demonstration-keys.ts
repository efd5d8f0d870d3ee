// The node `demonstrations`: what every environment has, and what the chosen environment's expert reads.
import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import { toSnakeCase, type ConfigProblem } from '@bowyer/core';
import { isConversationFile } from '@bowyer/conversations';
import { environmentInfo } from '@bowyer/envs';
import { demonstrationsProblem, fileProblem } from './demonstrations.js';
import type { Choices } from '../keys/choices.js';
import type { EnvConfig } from '../environment/environment-keys.js';
import { demonstrationFileKeys, demonstrationKeys } from '../keys/agent-keys.js';

const options = { additionalProperties: false, description: 'expert play to imitate' };

export function demonstrationsNode({ env, setting }: Choices): TSchema {
  const { path } = demonstrationKeys;
  const file = setting('demonstrations.path');
  // Which options a run reads is not known.
  if (file === undefined)
    return Type.Object({ ...demonstrationKeys, ...demonstrationFileKeys, ...keysOfExpert(env) }, options);
  // A file says itself how many episodes it has, and how good they are.
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

/** Says why a run has no demonstrations: a file is absent, or the environment has no expert. */
export function demonstrationProblems(config: Record<string, unknown>): ConfigProblem[] {
  const { demonstrations, env } = config as { demonstrations: { path: string | null }; env: EnvConfig };
  const problem = demonstrations.path === null ? demonstrationsProblem(env) : fileProblem(demonstrations.path);
  return problem === null ? [] : [problem];
}
