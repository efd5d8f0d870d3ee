// The schema of a run's `env` node, made from what the environment itself registers.
import { environmentInfo, environmentNames, type EnvName } from '@bowyer/envs';
import { toSnakeCase } from '@bowyer/core';

/** A validated `env` node: the environment's name and options. Keys as in the node: snake_case, or camelCase once converted. */
export type EnvConfig = { name: EnvName } & Record<string, unknown>;

/** Options that keys of ArCHer's configs give, outside the node. */
const GIVEN_ELSEWHERE: Partial<Record<EnvName, readonly string[]>> = {
  twenty_questions: ['envIdx'], // env_idx
  guess_my_city: ['envIdx'],
};

const description = 'the task to learn';

const nameSchema = { type: 'string', enum: environmentNames, description: 'environment' };

/** A node whose name is all that can be checked. */
export const anyEnvSchema = {
  type: 'object',
  required: ['name'],
  properties: { name: nameSchema },
  description,
};

/** Every option must be there, as the files in configs/env have them all. */
export function envNodeSchema(name: EnvName) {
  const { schema } = environmentInfo(name);
  const given = Object.entries(schema.properties).filter(([key]) => !GIVEN_ELSEWHERE[name]?.includes(key));
  const properties = {
    name: nameSchema,
    ...Object.fromEntries(given.map(([key, option]) => [toSnakeCase(key), option])),
  };
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties, description };
}

export const isEnvName = (name: unknown): name is EnvName => environmentNames.some((known) => known === name);
