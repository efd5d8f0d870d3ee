// Environments by name, each with the JSON Schema of its options, so that a runner can validate a config first.
import type { AgentGymOptions } from './agentgym/agentgym-env.js';
import { remoteOnlyRegistrations, type RemoteOnlyEnv } from './agentgym/registration.js';
import type { BackendOptions } from './agentgym/backend.js';
import type { Env } from './contract/env.js';
import type { EnvParts, OracleOptions } from './oracle.js';
import { UnknownNameError } from './contract/unknown-name-error.js';
import type { GuessMyCityOptions } from './guess-my-city/options.js';
import { guessMyCityRegistration } from './guess-my-city/registration.js';
import type { MazeOptions } from './maze/maze.js';
import { mazeRegistration } from './maze/registration.js';
import type { AlfworldOptions } from './alfworld/alfworld.js';
import type { BabyAiOptions } from './babyai/babyai.js';
import { babyAiRegistration } from './babyai/registration.js';
import { alfworldRegistration } from './alfworld/registration.js';
import type { OptionsSchema, Registration } from './registration.js';
import type { SciWorldOptions } from './sciworld/options.js';
import { sciWorldRegistration } from './sciworld/registration.js';
import { storyFileRegistration } from './story-file/registration.js';
import type { StoryFileOptions } from './story-file/story-file.js';
import type { TextCraftOptions } from './textcraft/options.js';
import { textCraftRegistration } from './textcraft/registration.js';
import type { TextWorldExpressGame } from './textworld-express/descriptions.js';
import type { TextWorldExpressOptions } from './textworld-express/options.js';
import { textWorldExpressRegistrations } from './textworld-express/registration.js';
import { twentyQuestionsRegistration } from './twenty-questions/registration.js';
import type { TwentyQuestionsOptions } from './twenty-questions/twenty-questions.js';
import type { WebShopOptions } from './webshop/options.js';
import { webShopRegistration } from './webshop/registration.js';
import { wordleRegistration } from './wordle/registration.js';
import type { WordleOptions } from './wordle/wordle.js';

/** The options of every registered environment. */
export interface EnvOptions
  extends Record<TextWorldExpressGame, TextWorldExpressOptions>, Record<RemoteOnlyEnv, AgentGymOptions> {
  twenty_questions: TwentyQuestionsOptions & OracleOptions;
  alfworld: AlfworldOptions;
  babyai: BabyAiOptions;
  adventure: StoryFileOptions;
  maze: MazeOptions & BackendOptions;
  wordle: WordleOptions & BackendOptions;
  guess_my_city: GuessMyCityOptions & OracleOptions;
  textcraft: TextCraftOptions & BackendOptions;
  sciworld: SciWorldOptions;
  webshop: WebShopOptions;
}

export type EnvName = keyof EnvOptions;

const environments: { [Name in EnvName]: Registration<EnvOptions[Name]> } = {
  twenty_questions: twentyQuestionsRegistration,
  alfworld: alfworldRegistration,
  babyai: babyAiRegistration,
  adventure: storyFileRegistration,
  maze: mazeRegistration,
  wordle: wordleRegistration,
  guess_my_city: guessMyCityRegistration,
  textcraft: textCraftRegistration,
  sciworld: sciWorldRegistration,
  webshop: webShopRegistration,
  ...textWorldExpressRegistrations,
  ...remoteOnlyRegistrations,
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
export function makeEnv<Name extends EnvName>(name: Name, options?: Partial<EnvOptions[Name]>, parts?: EnvParts): Env;
export function makeEnv(name: string, options?: Record<string, unknown>, parts?: EnvParts): Env;
export function makeEnv(name: string, options: Record<string, unknown> = {}, parts: EnvParts = {}): Env {
  const known = knownName(name);
  const { schema, make } = environments[known] as Registration<unknown>;
  return make(withDefaults(schema, options, known), parts);
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
