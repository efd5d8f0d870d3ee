// The unit of an environment: all that a runner needs to find it by name, check its options, play it, imitate its expert and
// start a critic on it. A runner knows an environment only through its unit.
import type { ConfigProblem, DemonstrationSet } from '@bowyer/core';
import type { ContextOffer } from './context/context-options.js';
import type { Env, ResetResult, Split } from './contract/env.js';
import type { EnvParts, OraclePrompts } from './oracle.js';
import type { OptionSchema } from './option.js';
import type { Splits } from './splits.js';

/** A JSON Schema of type object whose every property has a description and a default. Keys are in camelCase. */
export interface OptionsSchema {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, OptionSchema>>;
}

/** A JSON Schema of the arguments of `reset`, none of which is required. Keys are in camelCase. */
export interface ResetSchema {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, { readonly description: string; readonly [keyword: string]: unknown }>>;
}

/** Values of other options, one of which each must have: `{ backend: ['java'] }`. */
export type Condition = Readonly<Record<string, readonly unknown[]>>;

/** A problem of options that the schema allows: they cannot be played, or nothing reads them. */
export interface EnvProblem extends ConfigProblem {
  key: string;
  /** The key because of whose value nothing reads this one, such as `env.backend`. */
  unreadFor?: string;
}

/** A request for demonstrations. */
export interface DemonstrationRequest {
  count: number;
  seed: number;
  /** The split whose items the expert plays; absent: the training items. Others serve measurements, where a unit has them. */
  split?: Split;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a unit's own options; the registry checks them against its schema
export interface DemonstrationSource<Options = any, Extra = any> {
  /** The keys of a run's `demonstrations` node that this expert reads beside `path` and `count`; in camelCase. */
  schema: OptionsSchema;
  /** Makes demonstrations; the same options and request give the same ones. */
  make(options: Options, request: DemonstrationRequest & Extra): Promise<DemonstrationSet>;
  /** Reads a file in the environment's own format; without it, files are JSONL records of episodes only. */
  read?(path: string): Promise<DemonstrationSet>;
  /** Returns why there are no demonstrations with these options; null where there are. */
  problem?(options: Options): string | null;
  /** The options that do not affect the demonstrations: warm starts that differ only in these are the same. */
  independentOf?: readonly (string & keyof Options)[];
  /** Returns further files on which the demonstrations depend, such as the files of a folder; files that options name are known already. */
  files?(options: Options): readonly string[];
  /** A number that is raised where the expert's play changes, so that warm starts made from its earlier games are not reused. */
  revision?: number;
}

/** An evaluation, for reports in the format of the environment's original. */
export interface PlayedEvaluation {
  /** Null path: a model behind an endpoint. Null name: a model that was made here. */
  model: { path: string | null; name: string | null };
  /** The settings of sampling; temperature 0: the most likely token always. */
  sampling: { temperature: number; maxTokens: number };
  /** The turns of each episode. */
  episodes: readonly (readonly { action: string; info: Record<string, unknown> }[])[];
}

/** A JSON file beside the results. */
export interface EvaluationReport {
  file: string;
  content: unknown;
}

/** How the options stand in a config, and which of their values are refused there, beyond what their schema says. */
export interface ConfigRules<Options> {
  /** The name of the option that lists environments which this one plays, each a name or a node like `env` itself. */
  members?: string & keyof Options;
  /** The names that ArCHer's and AgentGym's configs give to options outside of the `env` node. */
  flatNames?: Readonly<Record<string, string & keyof Options>>;
  /** The conditions of options that are read only with some values of others. */
  readWith?: Readonly<Partial<Record<string & keyof Options, Condition>>>;
  /** Returns problems of settings that the schema allows, beyond those of `readWith`. */
  problems?(options: Options): EnvProblem[];
}

/** The texts that a word-level tokenizer knows beside the demonstrations. */
export interface TokenRules<Options> {
  /** Answers that a word-level tokenizer keeps as one token each, and that an agent can never write. */
  answers?(options: Options): readonly string[];
  /** Returns texts whose words a word-level tokenizer knows beside those of the demonstrations. */
  vocabulary?(options: Options): Iterable<string>;
  /** The texts that a word-level tokenizer encodes piece by piece: `digits`, or `codes` (numbers, and product numbers by pairs of characters). */
  spells?: 'digits' | 'codes';
}

/** The start of critics. */
export interface CriticStart<Options> {
  /** The built-in critic that learns here, where it is not the default one, which reads text in order: `line` for games of questions. */
  kind?: 'line' | 'recency';
  /** Returns a discounted return near that of a policy that starts to learn, with which critics start where the config gives no value. */
  typicalReturn?(options: Options): number;
}

/** How recordings of the environment's own engine are played again. */
export interface ReplayRules<Options> {
  /** Returns the text of the engine itself, if an observation contains more: recordings contain it and human players read it. */
  engineText?(result: ResetResult): string;
  /** The options of recordings of the engine, where they differ from the defaults. */
  options?: Partial<Options>;
}

/** The figures and files of an evaluation beyond the return. */
export interface EvaluationRules<Options, Extra> {
  /** Returns the kind of task of an episode, from the `info` of a step, for breakdowns; null where there is only one kind. */
  taskType?(info: Record<string, unknown>): string | null;
  /** Returns a further file of task=evaluate, in the format of the environment's original. */
  report?(evaluation: PlayedEvaluation): EvaluationReport;
  /** Returns the expected return of the best player with the demonstrator's questions; null where it cannot be computed. */
  optimalReturn?(options: Options, demonstrations: Extra): number | null;
}

export interface EnvironmentUnit<Options extends object = object, Extra extends object = object> {
  /** The value of `env.name`. */
  name: string;
  description: string;
  /** Returns the rules that a player reads before the first observation: the goal, how an action is written, what ends an episode. */
  rules?(options: Options): string;
  /** The schema of the options, the keys of the `env` node. */
  schema: OptionsSchema;
  resetSchema: ResetSchema;
  make(options: Options, parts: EnvParts): Env;
  /** The splits of the items into training, evaluation and test; see `seedSplits`, `listedSplits` and `sharedSplits`. */
  splits: Splits<Options>;
  /** Returns the parts of the text that an agent can read; absent: observations of single turns, read as a dialogue, and no further parts. */
  context?(options: Options): ContextOffer;
  /** Actions for the check of the contract. */
  sampleActions: readonly string[];
  /** The source of expert play to imitate; without it, a run needs a policy or a file of episodes. */
  demonstrations?: DemonstrationSource<Options, Extra>;
  /** Returns whether environments with these options have an `expertReply`; absent: none has. */
  hasExpert?(options: Options): boolean;
  /** The prompts of the models that may answer in this environment. */
  oracles?: OraclePrompts;
  config?: ConfigRules<Options>;
  tokens?: TokenRules<Options>;
  critic?: CriticStart<Options>;
  replay?: ReplayRules<Options>;
  evaluation?: EvaluationRules<Options, Extra>;
}

/** A unit whose options are not known at compile time. */
// oxlint-disable-next-line typescript/no-explicit-any -- its options are checked against its own schema at run time
export type AnyEnvironment = EnvironmentUnit<any, any>;

const seed = { description: 'Decides everything random in the episode.', type: 'integer' } as const;

/** Returns the seed, and what else an environment's reset takes. */
export const resetSchemaWith = (properties: ResetSchema['properties'] = {}): ResetSchema => ({
  type: 'object',
  additionalProperties: false,
  properties: { seed, ...properties },
});

/** The schema of no options. */
export const noOptions: OptionsSchema = { type: 'object', additionalProperties: false, properties: {} };
