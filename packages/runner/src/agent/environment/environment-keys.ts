// Makes the schema of the config node `env`, which follows from the chosen environment.
import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import { toSnakeCase } from '@bowyer/core';
import { environmentInfo, environmentNames } from '@bowyer/envs';
import type { Choices } from '../keys/choices.js';
import { deviceNode, deviceOptions } from '../keys/model-keys.js';

/** A validated `env` node: the environment's name and options. Keys in snake_case, or camelCase once converted. */
export type EnvConfig = { name: string } & Record<string, unknown>;

const description = 'the task to learn';

const nameSchema = () => ({
  type: 'string',
  enum: environmentNames(),
  description: 'name of the environment; choose one with env=NAME',
});

/**
 * Returns the schema of the config node `env`. Every option is required, since the configs of the group env contain them all.
 *
 * @param listed the members of a mixture
 */
export function envNodeSchema(name: string | null, listed?: unknown): TSchema {
  // Without a registered name, only the name can be checked.
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

/** Returns the schema of a mixture's member: a name alone, or a node whose options may be left out and then have their defaults. */
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

/** Returns the keys of the device of an oracle's network, for tasks that run no other model. */
export function oracleKeysOf({ setting }: Choices): TProperties {
  const { kind, threads } = deviceOptions;
  return setting('env.oracle') === 't5' ? { device: deviceNode({ kind, threads }) } : {};
}
