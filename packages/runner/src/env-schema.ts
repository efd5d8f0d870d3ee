// The schema of a run's `env` node, made from the environment's unit.
import { toSnakeCase } from '@bowyer/core';
import { environmentInfo, environmentNames } from '@bowyer/envs';

/** A validated `env` node: the environment's name and options. Keys as in the node: snake_case, or camelCase once converted. */
export type EnvConfig = { name: string } & Record<string, unknown>;

const description = 'the task to learn';

const nameSchema = () => ({ type: 'string', enum: environmentNames(), description: 'environment' });

/** A node whose name is all that can be checked. */
export const anyEnvSchema = () => ({
  type: 'object',
  required: ['name'],
  properties: { name: nameSchema() },
  description,
});

/** Every option must be there, as the files in configs/env have them all. */
export function envNodeSchema(name: string) {
  const { schema } = environmentInfo(name);
  const properties = {
    name: nameSchema(),
    ...Object.fromEntries(Object.entries(schema.properties).map(([key, option]) => [toSnakeCase(key), option])),
  };
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties, description };
}

export const isEnvName = (name: unknown): name is string => environmentNames().some((known) => known === name);
