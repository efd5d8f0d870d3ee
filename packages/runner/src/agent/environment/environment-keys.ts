// Makes the schema of the config node `env`, whose options are those of the chosen environment.
import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import { toSnakeCase } from '@bowyer/core';
import { environmentInfo, environmentNames } from '@bowyer/envs';
import type { Choices } from '../keys/choices.js';
import { deviceNode, deviceOptions } from '../keys/model-keys.js';

/**
 * A validated `env` node: the name of the environment and its options. The keys are in snake_case, or in camelCase after
 * conversion.
 */
export type EnvConfig = { name: string } & Record<string, unknown>;

const description = 'the task to learn';

const nameSchema = () => ({
  type: 'string',
  enum: environmentNames(),
  description: 'name of the environment; choose one with env=NAME',
});

/**
 * Every option is required, since the config files of the group `env` contain all options.
 *
 * @param listed the environments of a mixture (`env.envs`)
 */
export function envNodeSchema(name: string | null, listed?: unknown): TSchema {
  // For a name that is not registered the options are unknown, so that the schema checks only the name.
  if (name === null)
    return Type.Unsafe({ type: 'object', required: ['name'], properties: { name: nameSchema() }, description });
  const { schema, config } = environmentInfo(name);
  const members = config?.members;
  const properties: Record<string, object> = {
    name: nameSchema(),
    ...Object.fromEntries(Object.entries(schema.properties).map(([key, option]) => [toSnakeCase(key), option])),
  };
  if (members !== undefined && Array.isArray(listed)) {
    const { description, minItems } = schema.properties[members];
    properties[toSnakeCase(members)] = { type: 'array', description, minItems, items: listed.map(memberSchema) };
  }
  return Type.Unsafe({
    type: 'object',
    additionalProperties: false,
    required: Object.keys(properties),
    properties,
    description,
  });
}

/** An environment in a mixture is a name, or a node with a name and options. Options that are left out have their defaults. */
function memberSchema(listed: unknown): object {
  const name = (listed as { name?: unknown } | null)?.name;
  const known = typeof name === 'string' && environmentNames().includes(name) ? name : null;
  return typeof listed === 'string' ? nameSchema() : { ...envNodeSchema(known), required: ['name'] };
}

export const environmentKeysOf = ({ env, setting }: Choices): TProperties => ({
  env: envNodeSchema(env, membersSetting(env, setting)),
});

function membersSetting(env: string | null, setting: Choices['setting']): unknown {
  const members = env === null ? undefined : environmentInfo(env).config?.members;
  return members === undefined ? undefined : setting(`env.${toSnakeCase(members)}`);
}

/** Returns the config keys of the device on which an oracle's network runs, for tasks that run no other model. */
export function oracleKeysOf({ setting }: Choices): TProperties {
  const { kind, threads } = deviceOptions;
  return setting('env.oracle') === 't5' ? { device: deviceNode({ kind, threads }) } : {};
}
