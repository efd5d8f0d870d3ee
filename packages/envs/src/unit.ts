// Defines the unit of an environment: everything that the runner (the program that trains and evaluates) needs to find it by
// name, check its options, play it, imitate its expert and initialise a critic. The runner knows an environment only through its
// unit.
import type { ConfigProblem, DemonstrationSet } from '@bowyer/core';
import type { ContextOffer } from './context/context-options.js';
import type { Env, ResetResult, Split } from './contract/env.js';
import type { EnvParts, OraclePrompts } from './oracle.js';
import type { OptionSchema } from './option.js';
import type { Splits } from './splits.js';

/** A JSON Schema of an object of options, in which every property has a description and a default. Keys are in camelCase. */
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

/** A condition on the values of other options: `{ backend: ['java'] }` is fulfilled if `backend` is `java`. */
export type Condition = Readonly<Record<string, readonly unknown[]>>;

/** A problem of options that are valid by the schema: with them the environment cannot be played, or an option has no effect. */
export interface EnvProblem extends ConfigProblem {
  key: string;
  /** The key of the other option because of whose value this option has no effect, such as `env.backend`. */
  unreadFor?: string;
}

/** A request for demonstrations: their number, and the split whose items the expert plays. */
export interface DemonstrationRequest {
  count: number;
  seed: number;
  /** The split whose items the expert plays; absent: training items. Demonstrations of other splits only measure the expert. */
  split?: Split;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the registry checks the options against the unit's schema
export interface DemonstrationSource<Options = any, Extra = any> {
  /** The keys of the config's node `demonstrations` that this expert reads, except `path` and `count`; in camelCase. */
  schema: OptionsSchema;
  /** Makes demonstrations. The result must depend only on the options and the request. */
  make(options: Options, request: DemonstrationRequest & Extra): Promise<DemonstrationSet>;
  /** Reads the environment's own file format. Without this function, files must be JSON lines of recorded episodes. */
  read?(path: string): Promise<DemonstrationSet>;
  /** Returns the reason why no demonstrations can be made with these options; null if they can be made. */
  problem?(options: Options): string | null;
  /** The options that do not affect demonstrations: runs that differ only in these share the policies trained on them. */
  independentOf?: readonly (string & keyof Options)[];
  /** Returns the paths of further files on which the demonstrations depend, in addition to files that are named by options. */
  files?(options: Options): readonly string[];
  /** A number to increase when the expert plays differently, so that policies trained on its earlier play are not reused. */
  revision?: number;
}

/** A finished evaluation, from which a report in the format of the environment's original is written. */
export interface PlayedEvaluation {
  /** The evaluated model. The path is null if the model is behind an endpoint; the name is null if this program trained it. */
  model: { path: string | null; name: string | null };
  /** The sampling settings of the evaluation. Temperature 0 means greedy decoding. */
  sampling: { temperature: number; maxTokens: number };
  episodes: readonly (readonly { action: string; info: Record<string, unknown> }[])[];
}

/** A JSON file that is written next to the results of an evaluation. */
export interface EvaluationReport {
  file: string;
  content: unknown;
}

/** The names of an environment's options in a config, and values that are refused although the schema allows them. */
export interface ConfigRules<Options> {
  /** The option that lists the contained environments, each as a name or an object like the config's node `env`. */
  members?: string & keyof Options;
  /** The names of options in configs of ArCHer and AgentGym, where they are not in the node `env`. */
  flatNames?: Readonly<Record<string, string & keyof Options>>;
  /** The conditions under which options have an effect. A config that sets an option without effect is refused. */
  readWith?: Readonly<Partial<Record<string & keyof Options, Condition>>>;
  /** Returns further problems of options that are valid by the schema, in addition to those of `readWith`. */
  problems?(options: Options): EnvProblem[];
}

/** Texts that a word-level tokenizer must be able to encode, in addition to those of the demonstrations. */
export interface TokenRules<Options> {
  /** Returns answers that a word-level tokenizer encodes as one token each. Agents cannot write these tokens. */
  answers?(options: Options): readonly string[];
  /** Returns texts whose words a word-level tokenizer must have in its vocabulary. */
  vocabulary?(options: Options): Iterable<string>;
  /** Words that a word-level tokenizer splits: numbers (`digits`), or also product numbers into character pairs (`codes`). */
  spells?: 'digits' | 'codes';
}

/** The rules for the initial state of a critic of this environment. */
export interface CriticStart<Options> {
  /** The kind of the built-in critic: `line` for games of questions; default: one that reads the text in order. */
  kind?: 'line' | 'recency';
  /** Returns a typical discounted return early in training, which critics initially predict unless the config gives one. */
  typicalReturn?(options: Options): number;
}

/** The rules for replaying recordings of the environment's original program, to check that both give the same observations. */
export interface ReplayRules<Options> {
  /** Returns the part of an observation that the original program writes, which recordings have and human players read. */
  engineText?(result: ResetResult): string;
  /** The options under which the recordings were made, if they are not the defaults. */
  options?: Partial<Options>;
}

/** Metrics and result files of an evaluation, in addition to the return. */
export interface EvaluationRules<Options, Extra> {
  /** Returns the kind of a task from a step's `info`, for separate results in reports; null if there is only one kind. */
  taskType?(info: Record<string, unknown>): string | null;
  /** Returns a file that an evaluation also writes, in the result format of the environment's original program. */
  report?(evaluation: PlayedEvaluation): EvaluationReport;
  /** Returns the expected return of an optimal player who asks the expert's questions; null if it cannot be computed. */
  optimalReturn?(options: Options, demonstrations: Extra): number | null;
}

export interface EnvironmentUnit<Options extends object = object, Extra extends object = object> {
  /** The name by which configs select the environment (`env.name`). */
  name: string;
  description: string;
  /** Returns the rules for human players: the goal, the form of actions, and the conditions under which an episode ends. */
  rules?(options: Options): string;
  /** The schema of the environment's options, which are the keys of the config's node `env`. */
  schema: OptionsSchema;
  resetSchema: ResetSchema;
  make(options: Options, parts: EnvParts): Env;
  /** The division of the environment's items into splits; see `seedSplits`, `listedSplits` and `sharedSplits`. */
  splits: Splits<Options>;
  /** Returns the parts of the agent's text that the environment can provide; absent: observations of the last turn alone. */
  context?(options: Options): ContextOffer;
  /** Actions that the check of the environment's contract (`checkEnv`) plays at random. */
  sampleActions: readonly string[];
  /** The source of expert episodes. Without it, a run needs a trained policy or a file of episodes. */
  demonstrations?: DemonstrationSource<Options, Extra>;
  /** Returns whether an environment with these options has an `expertReply`; absent: none has. */
  hasExpert?(options: Options): boolean;
  /** The prompts of the models that can be oracles in this environment (a guessing game). */
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

/** Returns the schema of the arguments of `reset`: a seed, and the given further arguments. */
export const resetSchemaWith = (properties: ResetSchema['properties'] = {}): ResetSchema => ({
  type: 'object',
  additionalProperties: false,
  properties: { seed, ...properties },
});

export const noOptions: OptionsSchema = { type: 'object', additionalProperties: false, properties: {} };
