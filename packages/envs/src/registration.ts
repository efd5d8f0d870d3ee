// What an environment says of itself to be found by name: its options, what its reset takes, and how it is made.
import type { Env } from './contract/env.js';
import type { EnvParts } from './oracle.js';

/** A JSON Schema of type object whose every property has a description and a default. Keys are in camelCase. */
export interface OptionsSchema {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, { readonly description: string; readonly default: unknown }>>;
}

/** A JSON Schema of what `reset` takes; nothing in it must be given. Keys are in camelCase. */
export interface ResetSchema {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, { readonly description: string }>>;
}

export interface Registration<Options> {
  description: string;
  schema: OptionsSchema;
  resetSchema: ResetSchema;
  make: (options: Options, parts: EnvParts) => Env;
  /** Things to say when the contract is checked. */
  sampleActions: readonly string[];
}

const seed = { description: 'Decides everything random in the episode.', type: 'integer' } as const;

/** The seed, and what else an environment's reset takes. */
export const resetSchemaWith = (properties: ResetSchema['properties'] = {}): ResetSchema => ({
  type: 'object',
  additionalProperties: false,
  properties: { seed, ...properties },
});
