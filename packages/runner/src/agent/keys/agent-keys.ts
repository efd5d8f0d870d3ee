// Defines the type of all options that decide how an agent is made and how it plays, grouped by config node. Each task selects
// the options that it reads; an algorithm's options are in the algorithm's folder.
import type { OptionsOf } from '@bowyer/core';
import type { TObject } from '@sinclair/typebox';
import type { CriticNode } from './critic-keys.js';
import type {
  seedOption,
  deviceOptions,
  gradientOptions,
  hubNode,
  templateOptions,
  conversationOptions,
  writerNodes,
} from './model-keys.js';
import type { episodeOptions } from './play-keys.js';
import type { builtInOptions, LoraNode, OptimizerNode, policyOptions } from './policy-keys.js';
import type { cacheOptions, warmStartOptions, demonstrationKeys } from './warm-start-keys.js';

type Nodes = {
  seed: typeof seedOption;
  device: TObject<typeof deviceOptions & typeof gradientOptions>;
  hub: typeof hubNode;
  sampling: ReturnType<typeof writerNodes>['sampling'];
  chat: TObject<typeof templateOptions & typeof conversationOptions>;
  play: TObject<typeof episodeOptions>;
  policy: TObject<typeof policyOptions & typeof builtInOptions>;
  lora: LoraNode;
  critic: CriticNode;
  optimizer: OptimizerNode;
  warm_start: TObject<typeof warmStartOptions & typeof cacheOptions>;
  demonstrations: TObject<typeof demonstrationKeys>;
};

/** The values of the config nodes that several tasks share, in camelCase. */
export type AgentConfig = OptionsOf<TObject<Nodes>>;

/** The type of a config with some options of one node: `NodePart<'sampling', 'eosStr'>` is `{ sampling: { eosStr } }`. */
export type NodePart<Name extends keyof AgentConfig, Option extends keyof AgentConfig[Name]> = {
  [Key in Name]: Pick<AgentConfig[Key], Option>;
};
