// Environments by name, each with the JSON Schema of its options, so that a runner can validate a config first.
import type { Env } from './contract/env.js';
import { UnknownNameError } from './contract/unknown-name-error.js';
import { StoryFile, storyFileSchema, type StoryFileOptions } from './story-file/story-file.js';
import {
  textWorldExpressDescriptions,
  textWorldExpressGames,
  textWorldExpressSampleActions,
  type TextWorldExpressGame,
} from './textworld-express/descriptions.js';
import { textWorldExpressSchema, type TextWorldExpressOptions } from './textworld-express/options.js';
import { TextWorldExpress } from './textworld-express/textworld-express.js';
import {
  TwentyQuestions,
  twentyQuestionsSchema,
  type TwentyQuestionsOptions,
} from './twenty-questions/twenty-questions.js';

/** The options of every registered environment. */
export interface EnvOptions extends Record<TextWorldExpressGame, TextWorldExpressOptions> {
  twenty_questions: TwentyQuestionsOptions;
  adventure: StoryFileOptions;
}

export type EnvName = keyof EnvOptions;

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

interface Registration<Options> {
  description: string;
  schema: OptionsSchema;
  resetSchema: ResetSchema;
  make: (options: Options) => Env;
  /** Things to say when the contract is checked. */
  sampleActions: readonly string[];
}

const seedSchema = { description: 'Decides everything random in the episode.', type: 'integer' } as const;

const seedOnly: ResetSchema = { type: 'object', additionalProperties: false, properties: { seed: seedSchema } };

const textWorldExpressReset: ResetSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    seed: seedSchema,
    fold: textWorldExpressSchema.properties.fold,
    params: textWorldExpressSchema.properties.params,
    stepLimit: textWorldExpressSchema.properties.stepLimit,
  },
};

const textWorldExpressRegistration = (game: TextWorldExpressGame): Registration<TextWorldExpressOptions> => ({
  description: textWorldExpressDescriptions[game],
  schema: textWorldExpressSchema,
  resetSchema: textWorldExpressReset,
  make: (options) => new TextWorldExpress(game, options),
  sampleActions: textWorldExpressSampleActions,
});

const environments: { [Name in EnvName]: Registration<EnvOptions[Name]> } = {
  twenty_questions: {
    description: 'Guess which of 157 objects (or ten of them) the oracle thinks of, in 20 yes/no questions.',
    schema: twentyQuestionsSchema,
    resetSchema: seedOnly,
    make: (options) => new TwentyQuestions(options),
    sampleActions: ['is it an animal?', 'is it a dog?', 'is it a piano?', 'is it made of metal?', 'hello', ''],
  },
  adventure: {
    description: 'A text adventure played from a Z-machine story file; by default a small game of our own.',
    schema: storyFileSchema,
    resetSchema: seedOnly,
    make: (options) => new StoryFile(options),
    sampleActions: ['n', 'w', 'take all', 'e', 'look', 'swim', '', 'open drawer'],
  },
  ...(Object.fromEntries(textWorldExpressGames.map((game) => [game, textWorldExpressRegistration(game)])) as Record<
    TextWorldExpressGame,
    Registration<TextWorldExpressOptions>
  >),
};

export const environmentNames = Object.keys(environments) as readonly EnvName[];

/** What is registered of an environment besides its maker. */
export type EnvironmentInfo = { name: EnvName } & Omit<Registration<never>, 'make'>;

/** @throws UnknownNameError for a name that is not registered, with the nearest that is */
export function environmentInfo(name: string): EnvironmentInfo {
  const known = knownName(name);
  const { description, schema, resetSchema, sampleActions } = environments[known];
  return { name: known, description, schema, resetSchema, sampleActions };
}

/** Makes an environment; options that are left out take the schema's defaults, unknown ones are refused. */
export function makeEnv<Name extends EnvName>(name: Name, options?: Partial<EnvOptions[Name]>): Env;
export function makeEnv(name: string, options?: Record<string, unknown>): Env;
export function makeEnv(name: string, options: Record<string, unknown> = {}): Env {
  const known = knownName(name);
  const { schema, make } = environments[known] as Registration<unknown>;
  return make(withDefaults(schema, options, known));
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
