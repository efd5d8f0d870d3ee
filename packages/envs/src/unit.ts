// An environment as a unit: everything that a runner needs to find it by name, check its options, play it, imitate its
// expert and start a critic on it. A runner knows no environment but through this.
import type { ConfigProblem, DemonstrationSet } from '@bowyer/core';
import type { ContextOffer } from './context/context-options.js';
import type { Env, ResetResult, Split } from './contract/env.js';
import type { EnvParts, OraclePrompts } from './oracle.js';
import type { Splits } from './splits.js';

/** A JSON Schema of one option: its meaning, its default, and any further keywords such as `type` and `minimum`. */
interface OptionSchema {
  readonly description: string;
  readonly default: unknown;
  readonly [keyword: string]: unknown;
}

/** A JSON Schema of type object whose every property has a description and a default. Keys are in camelCase. */
export interface OptionsSchema {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, OptionSchema>>;
}

/** A JSON Schema of what `reset` takes; nothing in it is required. Keys are in camelCase. */
export interface ResetSchema {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, { readonly description: string; readonly [keyword: string]: unknown }>>;
}

/** Values of other options, one of which each must have: `{ backend: ['java'] }`. */
export type Condition = Readonly<Record<string, readonly unknown[]>>;

/** Something that the schema allows and that cannot be played, or that nobody would read. */
export interface EnvProblem extends ConfigProblem {
  key: string;
  /** The key whose value keeps this one from being read, such as `env.backend`. */
  unreadFor?: string;
}

/** How many episodes to make, and from which seed. */
export interface DemonstrationRequest {
  count: number;
  seed: number;
  /** Items that the expert plays; absent: those to train on. Others are to measure on, where a unit has them. */
  split?: Split;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a unit's own options; the registry checks them against its schema
export interface DemonstrationSource<Options = any, Extra = any> {
  /** Keys of a run's `demonstrations` node that this expert reads beside `path` and `count`; in camelCase. */
  schema: OptionsSchema;
  /** The same options and request give the same demonstrations. */
  make(options: Options, request: DemonstrationRequest & Extra): Promise<DemonstrationSet>;
  /** Reads a file in the environment's own format; without it, files are JSONL records of episodes only. */
  read?(path: string): Promise<DemonstrationSet>;
  /** The reason why there are no demonstrations with these options; null where there are. */
  problem?(options: Options): string | null;
  /** Options that change nothing in the demonstrations: a warm start made under other values of these is the same one. */
  independentOf?: readonly (string & keyof Options)[];
  /** Files that decide the demonstrations beside those that options name themselves, such as the files of a folder. */
  files?(options: Options): readonly string[];
  /** Raised where the expert plays otherwise than before, so that warm starts made of its earlier games are not found. */
  revision?: number;
}

/** An evaluation, for reports in an original's own format. */
export interface PlayedEvaluation {
  /** Null path: a model behind an endpoint. Null name: a model that was made here. */
  model: { path: string | null; name: string | null };
  /** Temperature 0: the most likely token always. */
  sampling: { temperature: number; maxTokens: number };
  /** Turns of each episode. */
  episodes: readonly (readonly { action: string; info: Record<string, unknown> }[])[];
}

/** A JSON file beside the results. */
export interface EvaluationReport {
  file: string;
  content: unknown;
}

export interface EnvironmentUnit<Options extends object = object, Extra extends object = object> {
  /** The value of `env.name`. */
  name: string;
  description: string;
  /** A player reads them before the first observation: the goal, how an action is written, what ends an episode. */
  rules?(options: Options): string;
  /** The options, keys of the `env` node. */
  schema: OptionsSchema;
  resetSchema: ResetSchema;
  make(options: Options, parts: EnvParts): Env;
  /** The option that lists environments which this one plays, each a name or a node like `env` itself. */
  members?: string & keyof Options;
  /** The division of items into those of training, evaluation and test; see `seedSplits`, `listedSplits` and `sharedSplits`. */
  splits: Splits<Options>;
  /** The kind of task that an episode is, from the `info` of a step, for breakdowns; null where there is but one kind. */
  taskType?(info: Record<string, unknown>): string | null;
  /** The parts of the text that an agent can read; absent: observations of single turns, read as a dialogue, and no further parts. */
  context?(options: Options): ContextOffer;
  /** The built-in critic that learns here, where it is not the one that reads text in order: `line` for games of questions. */
  critic?: 'line' | 'recency';
  /** Actions for the check of the contract. */
  sampleActions: readonly string[];
  /** Discounted return near that of a policy that starts to learn: critics start from it where the config gives no value. */
  typicalReturn(options: Options): number;
  /** Options by the names that ArCHer's and AgentGym's configs have for them outside the `env` node. */
  flatNames?: Readonly<Record<string, string & keyof Options>>;
  /** Options that are read only with some values of others. */
  readWith?: Readonly<Partial<Record<string & keyof Options, Condition>>>;
  /** Settings that the schema allows and that cannot be played, beyond those of `readWith`. */
  problems?(options: Options): EnvProblem[];
  /** Answers that a word-level tokenizer keeps as one token each, and that an agent can never write. */
  answerTokens?(options: Options): readonly string[];
  /** Texts whose words a word-level tokenizer knows beside those of the demonstrations. */
  vocabulary?(options: Options): Iterable<string>;
  /** Texts that a word-level tokenizer writes piece by piece: `digits`, or `codes` (numbers, and product numbers by pairs of characters). */
  spells?: 'digits' | 'codes';
  /** The text of the engine itself, if an observation contains more: recordings contain it and human players read it. */
  engineText?(result: ResetResult): string;
  /** Options that recordings of the engine were made with, where they differ from the defaults. */
  replayOptions?: Partial<Options>;
  /** How the models that may answer in this environment are asked. */
  oracles?: OraclePrompts;
  /** Expert play to imitate; without it, a run needs a policy or a file of episodes. */
  demonstrations?: DemonstrationSource<Options, Extra>;
  /** A further file of task=evaluate, in the format of the environment's original. */
  report?(evaluation: PlayedEvaluation): EvaluationReport;
  /** Whether environments with these options have an `expertReply`; absent: none has. */
  hasExpert?(options: Options): boolean;
  /** Expected return of the best player with the demonstrator's questions; null where it cannot be computed. */
  optimalReturn?(options: Options, demonstrations: Extra): number | null;
}

/** A unit whose options are not known at compile time. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- its options are checked against its own schema at run time
export type AnyEnvironment = EnvironmentUnit<any, any>;

const seed = { description: 'Decides everything random in the episode.', type: 'integer' } as const;

/** Returns the seed, and what else an environment's reset takes. */
export const resetSchemaWith = (properties: ResetSchema['properties'] = {}): ResetSchema => ({
  type: 'object',
  additionalProperties: false,
  properties: { seed, ...properties },
});

/** Options or demonstration keys: none. */
export const noOptions: OptionsSchema = { type: 'object', additionalProperties: false, properties: {} };
