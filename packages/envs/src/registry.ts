// Environments by name, each with the JSON Schema of its options, so that a runner can validate a config first.
import type { Env } from './contract/env.js';
import { UnknownNameError } from './contract/unknown-name-error.js';
import {
  TwentyQuestions,
  twentyQuestionsSchema,
  type TwentyQuestionsOptions,
} from './twenty-questions/twenty-questions.js';

/** The options of every registered environment. */
export interface EnvOptions {
  twenty_questions: TwentyQuestionsOptions;
}

export type EnvName = keyof EnvOptions;

/** A JSON Schema of type object whose every property has a description and a default. Keys are in camelCase. */
export interface OptionsSchema {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, { readonly description: string; readonly default: unknown }>>;
}

interface Registration<Options> {
  description: string;
  schema: OptionsSchema;
  make: (options: Options) => Env;
  /** Things to say when the contract is checked. */
  sampleActions: readonly string[];
}

const environments: { [Name in EnvName]: Registration<EnvOptions[Name]> } = {
  twenty_questions: {
    description: 'Guess which of 157 objects (or ten of them) the oracle thinks of, in 20 yes/no questions.',
    schema: twentyQuestionsSchema,
    make: (options) => new TwentyQuestions(options),
    sampleActions: ['is it an animal?', 'is it a dog?', 'is it a piano?', 'is it made of metal?', 'hello', ''],
  },
};

export const environmentNames = Object.keys(environments) as readonly EnvName[];

/** @throws UnknownNameError for a name that is not registered, with the nearest that is */
export function environmentInfo(name: string): {
  name: EnvName;
  description: string;
  schema: OptionsSchema;
  sampleActions: readonly string[];
} {
  const known = knownName(name);
  const { description, schema, sampleActions } = environments[known];
  return { name: known, description, schema, sampleActions };
}

/** Makes an environment; options that are left out take the schema's defaults, unknown ones are refused. */
export function makeEnv<Name extends EnvName>(name: Name, options?: Partial<EnvOptions[Name]>): Env;
export function makeEnv(name: string, options?: Record<string, unknown>): Env;
export function makeEnv(name: string, options: Record<string, unknown> = {}): Env {
  const known = knownName(name);
  const { schema, make } = environments[known];
  return make(withDefaults(schema, options, known) as unknown as EnvOptions[EnvName]);
}

/** The options with the schema's defaults filled in. Types and ranges are for a JSON Schema validator to check. */
export function withDefaults(schema: OptionsSchema, options: object, name: string): Record<string, unknown> {
  const known = Object.keys(schema.properties);
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new UnknownNameError(`option of ${name}`, unknown, known);
  const defaults = Object.entries(schema.properties).map(([key, property]) => [key, property.default]);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...defaults, ...given]);
}

function knownName(name: string): EnvName {
  const known = environmentNames.find((candidate) => candidate === name);
  if (known === undefined) throw new UnknownNameError('environment', name, environmentNames);
  return known;
}
