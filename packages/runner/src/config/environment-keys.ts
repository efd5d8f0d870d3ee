// The part of the schema that follows from the chosen environment: its node `env`, and the keys outside it that it reads.
import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import { toSnakeCase } from '@bowyer/core';
import { environmentInfo, environmentNames } from '@bowyer/envs';
import type { Choices } from '../tasks/task.js';
import { environmentKeys, shopKeys } from './adopted-keys.js';
import { deviceKeys } from './keys.js';

/** A validated `env` node: the environment's name and options. Keys in snake_case, or camelCase once converted. */
export type EnvConfig = { name: string } & Record<string, unknown>;

const description = 'the task to learn';

const nameSchema = () => ({ type: 'string', enum: environmentNames(), description: 'environment' });

/** The schema of the node `env`. Every option is required, since the files in configs/env contain them all. */
export function envNodeSchema(name: string | null): TSchema {
  // With an unknown name, the name is all that can be checked.
  if (name === null)
    return Type.Unsafe({ type: 'object', required: ['name'], properties: { name: nameSchema() }, description });
  const { schema } = environmentInfo(name);
  const properties = {
    name: nameSchema(),
    ...Object.fromEntries(Object.entries(schema.properties).map(([key, option]) => [toSnakeCase(key), option])),
  };
  return Type.Unsafe({
    type: 'object',
    additionalProperties: false,
    required: Object.keys(properties),
    properties,
    description,
  });
}

export function environmentKeysOf({ env }: Choices): TProperties {
  const known: TProperties = { ...environmentKeys, ...shopKeys };
  const { schema, keys = {} } = env === null ? { schema: null } : environmentInfo(env);
  const outside = Object.entries(keys).map(([key, { option }]) => [
    key,
    known[key] ?? Type.Unsafe(schema!.properties[option]),
  ]);
  return { env_name: environmentKeys.env_name, ...Object.fromEntries(outside), env: envNodeSchema(env) };
}

/** Where an oracle's network runs, for tasks that run no other model. */
export function oracleKeysOf({ setting }: Choices): TProperties {
  return setting('env.oracle') === 't5' ? { device: deviceKeys.device, threads: deviceKeys.threads } : {};
}
