// Defines the unit of an environment: everything that a runner needs to find it by name, check its options, play it, imitate its
// expert and initialise a critic. A runner knows an environment only through its unit.
import type { ConfigProblem, DemonstrationSet } from '@bowyer/core';
import type { ContextOffer } from './context/context-options.js';
import type { Env, ResetResult, Split } from './contract/env.js';
import type { EnvParts, OraclePrompts } from './oracle.js';
import type { OptionSchema } from './option.js';
import type { Splits } from './splits.js';

/** A JSON Schema of type object in which every property has a description and a default. Keys are in camelCase. */
export interface OptionsSchema {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, OptionSchema>>;
}

/** A JSON Schema of the arguments of `reset`, all of which are optional. Keys are in camelCase. */
export interface ResetSchema {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, { readonly description: string; readonly [keyword: string]: unknown }>>;
}

/** Allowed values of other options: `{ backend: ['java'] }` is met if `backend` is `java`. */
export type Condition = Readonly<Record<string, readonly unknown[]>>;

/** A problem of options that are valid by the schema: the environment cannot be played with them, or they have no effect. */
export interface EnvProblem extends ConfigProblem {
  key: string;
  /** The key whose value makes this option have no effect, such as `env.backend`. */
  unreadFor?: string;
}

/** A request for demonstrations. */
export interface DemonstrationRequest {
  count: number;
  seed: number;
  /** The split whose items the expert plays; absent: training items. Other splits are for measurements. */
  split?: Split;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the registry checks the options against the unit's schema
export interface DemonstrationSource<Options = any, Extra = any> {
  /** The keys of the config node `demonstrations` that this expert reads, except `path` and `count`; in camelCase. */
  schema: OptionsSchema;
  /** Makes demonstrations. The result depends only on the options and the request. */
  make(options: Options, request: DemonstrationRequest & Extra): Promise<DemonstrationSet>;
  /** Reads a file in the environment's own format. Without it, files must be JSON lines of recorded episodes. */
  read?(path: string): Promise<DemonstrationSet>;
  /** Returns the reason why there are no demonstrations with these options; null if there are some. */
  problem?(options: Options): string | null;
  /** The options that do not affect the demonstrations, so that warm starts which differ only in them are shared. */
  independentOf?: readonly (string & keyof Options)[];
  /** Returns the paths of further files on which the demonstrations depend, in addition to files that options name. */
  files?(options: Options): readonly string[];
  /** A number to increase when the expert's play changes, so that earlier warm starts are not reused. */
  revision?: number;
}

/** A finished evaluation, for reports in the format of the environment's original. */
export interface PlayedEvaluation {
  /** The model. Path null: it is behind an endpoint. Name null: it was made by this program. */
  model: { path: string | null; name: string | null };
  /** The sampling settings. Temperature 0 is greedy decoding. */
  sampling: { temperature: number; maxTokens: number };
  episodes: readonly (readonly { action: string; info: Record<string, unknown> }[])[];
}

/** A JSON file beside the results. */
export interface EvaluationReport {
  file: string;
  content: unknown;
}

/** The keys of the options in a config, and values that are refused there although they are valid by the schema. */
export interface ConfigRules<Options> {
  /** The option that lists the environments which this environment contains, each a name or a node like `env` itself. */
  members?: string & keyof Options;
  /** The names of options in ArCHer's and AgentGym's configs, where they are not in the config node `env`. */
  flatNames?: Readonly<Record<string, string & keyof Options>>;
  /** The conditions under which options have an effect. */
  readWith?: Readonly<Partial<Record<string & keyof Options, Condition>>>;
  /** Returns further problems of options that are valid by the schema, in addition to those of `readWith`. */
  problems?(options: Options): EnvProblem[];
}

/** Texts that a word-level tokenizer must know, in addition to the demonstrations. */
export interface TokenRules<Options> {
  /** Returns answers that a word-level tokenizer encodes as one token each. Agents cannot write them. */
  answers?(options: Options): readonly string[];
  /** Returns texts whose words a word-level tokenizer must know. */
  vocabulary?(options: Options): Iterable<string>;
  /** The words that a word-level tokenizer encodes in pieces: numbers (`digits`), or also product numbers in pairs (`codes`). */
  spells?: 'digits' | 'codes';
}

/** The initialisation of critics. */
export interface CriticStart<Options> {
  /**
   * The kind of the built-in critic for this environment: `line` for games of questions. Default: one that reads text in order.
   */
  kind?: 'line' | 'recency';
  /** Returns a typical discounted return early in training. Critics start at it unless the config gives a value. */
  typicalReturn?(options: Options): number;
}

/** How to replay recordings of the environment's original engine. */
export interface ReplayRules<Options> {
  /** Returns the engine's own text if an observation contains more. Recordings contain it, and human players read it. */
  engineText?(result: ResetResult): string;
  /** The options under which the recordings were made, if they differ from the defaults. */
  options?: Partial<Options>;
}

/** Metrics and files of an evaluation, in addition to the return. */
export interface EvaluationRules<Options, Extra> {
  /** Returns the kind of an episode's task, from the `info` of a step, for breakdowns; null if there is only one kind. */
  taskType?(info: Record<string, unknown>): string | null;
  /** Returns a further result file of task=evaluate, in the format of the environment's original. */
  report?(evaluation: PlayedEvaluation): EvaluationReport;
  /** Returns the expected return of an optimal player with the expert's questions; null if it cannot be computed. */
  optimalReturn?(options: Options, demonstrations: Extra): number | null;
}

export interface EnvironmentUnit<Options extends object = object, Extra extends object = object> {
  /** The value of `env.name`. */
  name: string;
  description: string;
  /** Returns the rules for human players: the goal, the form of actions, and what ends an episode. */
  rules?(options: Options): string;
  /** The schema of the options, the keys of the `env` node. */
  schema: OptionsSchema;
  resetSchema: ResetSchema;
  make(options: Options, parts: EnvParts): Env;
  /** The splits of the items; see `seedSplits`, `listedSplits` and `sharedSplits`. */
  splits: Splits<Options>;
  /**
   * Returns the parts that the environment provides for the agent's text; absent: observations of single turns, no further parts.
   */
  context?(options: Options): ContextOffer;
  /** Actions from which the check of the contract draws. */
  sampleActions: readonly string[];
  /** The source of expert play. Without it, a run needs a policy or a file of episodes. */
  demonstrations?: DemonstrationSource<Options, Extra>;
  /** Returns whether environments with these options have an `expertReply`; absent: none has. */
  hasExpert?(options: Options): boolean;
  /** The prompts of the models that may be oracles in this environment. */
  oracles?: OraclePrompts;
  config?: ConfigRules<Options>;
  tokens?: TokenRules<Options>;
  critic?: CriticStart<Options>;
  replay?: ReplayRules<Options>;
  evaluation?: EvaluationRules<Options, Extra>;
}

/** A unit whose options are unknown at compile time. */
// oxlint-disable-next-line typescript/no-explicit-any -- options are checked against the unit's schema at run time
export type AnyEnvironment = EnvironmentUnit<any, any>;

const seed = { description: 'Decides everything random in the episode.', type: 'integer' } as const;

/** Returns the schema of a reset with a seed and the given further arguments. */
export const resetSchemaWith = (properties: ResetSchema['properties'] = {}): ResetSchema => ({
  type: 'object',
  additionalProperties: false,
  properties: { seed, ...properties },
});

/** The schema of an environment without options. */
export const noOptions: OptionsSchema = { type: 'object', additionalProperties: false, properties: {} };
