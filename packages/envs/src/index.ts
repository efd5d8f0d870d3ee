// The contract of an environment, and helpers for writing one.
export type { Env, ResetResult, ResumableEnv, Split, StepResult } from './contract/env.js';
export { EpisodeOrder } from './contract/episode-order.js';
export { checkEnv, type CheckEnvOptions, type CheckEnvReport } from './contract/check-env.js';
export { EnvContractError, EnvFaultError, type WrappingEnv } from './contract/checked-env.js';
export {
  defineEnvironment,
  type ResetOutcome,
  type ClassDefinition,
  type StepOutcome,
  type EnvironmentDefinition,
  type StepContext,
} from './define-environment.js';
export {
  resetSchemaWith,
  type AnyEnvironment,
  type Condition,
  type EnvProblem,
  type DemonstrationRequest,
  type DemonstrationSource,
  type EnvironmentUnit,
  type EvaluationReport,
  type PlayedEvaluation,
  type OptionsSchema,
  type ResetSchema,
} from './unit.js';
export {
  expertNoiseSchema,
  playDemonstrations,
  playedOptions,
  playedSet,
  type Demonstrator,
  type ExpertNoise,
  type PlayedDemonstrationOptions,
} from './played-demonstrations.js';

export {
  environmentInfo,
  environmentNames,
  makeEnv,
  itemKey,
  makeSplitEnv,
  registerEnvironment,
  splitPlan,
  contextOffer,
  withDefaults,
  type EnvName,
} from './registry.js';
export { membersOf, type Member } from './mixture/members.js';
export { environmentProblems } from './config-keys.js';
export { nearestName } from './contract/unknown-name-error.js';

// The splits of an environment's items: for training, evaluation and test.
export {
  listedSplits,
  seedSplits,
  sharedSplits,
  SplitEnv,
  splits,
  testedOn,
  type EpisodeOfSplit,
  type ItemChoice,
  type SplitPlan,
  type Splits,
} from './splits.js';
// The text that an agent reads at each turn, composed from observations, task, inventory and valid actions.
export { ContextEnv } from './context/context-env.js';
export {
  contextKinds,
  contextProblems,
  defaultOffer,
  historyOffer,
  keysOfKind,
  resolveContext,
  type ContextKind,
  type ContextOffer,
  type ContextOptions,
  type ContextPart,
  type ResolvedContext,
} from './context/context-options.js';
export { memoryProblems } from './context/memory-problems.js';
export { withContext } from './context/context-records.js';
export { ContextWriter } from './context/context-writer.js';

// The episode memory: past successful episodes that are put into an agent's prompt as examples.
export {
  memoryKinds,
  retrievalKeys,
  type MemoryKind,
  type MemoryOptions,
  type RetrievalOptions,
} from './memory/memory-options.js';
export { demonstrationId, episodeOfRecord, episodeOfTrajectory, type MemoryEpisode } from './memory/memory-episode.js';
export { bm25Index, vectorIndex, type MakeIndex } from './memory/memory-index.js';
export { Memory } from './memory/memory.js';
export { MemoryReader } from './memory/memory-reader.js';

export {
  playEpisodes,
  streamEpisodes,
  type Decision,
  type PlayEpisodesOptions,
  type PlayedEpisode,
  type PlayedTurn,
  type ReadyTurn,
} from './play-episodes.js';

// Oracles, which answer the agent's questions in the guessing games, and clients of the chat servers that can be oracles.
export type { ChatOraclePrompt, EnvParts, Oracle, OracleOptions, OraclePrompts, T5OraclePrompt } from './oracle.js';
export { OpenAiOracle } from './openai-oracle.js';
export {
  OpenAiChat,
  type ChatMessage,
  type ChatReply,
  type ChatSettings,
  type ChatUsage,
  type OpenAiChatOptions,
  onlyChoice,
} from './http/openai-chat.js';
export { HttpServer, NoAnswer } from './http/http-server.js';
export { HttpError } from './http/http-error.js';

// The domains of tau2, such as its shop, for comparisons with the original.
export { pythonJson } from './cpython/repr.js';
export { tau2Domain, type Tau2Domain, type Tau2Task } from './tau2/domain-folder.js';
export { RetailStore, type RetailContents, type RetailOrder } from './tau2/store.js';
export { callRetailTool } from './tau2/tools.js';

// The environment `tabular`, whose exact values are known, for tests and studies of algorithms.
export { actionsOf, towerModel, type TabularModel, type TabularPolicy } from './tabular/model.js';
export { epsilonGreedy, exactValues, optimalValues, startValue, type ExactValues } from './tabular/exact-values.js';
export { TabularGame } from './tabular/tabular-game.js';
export { tabularDemonstrations } from './tabular/demonstrations.js';

// Types for a user's modules of tasks and rewards (environment `verifiers`).
export type { VerifiersEpisode, VerifiersRespond, VerifiersReward } from './verifiers/reward-module.js';
export type { VerifiersMessage } from './verifiers/task.js';
export { enableTypeScript, importUserModule } from './user-modules.js';

export { AgentGymEnv, agentGymEnv } from './agentgym/agentgym-env.js';
export { ItemListError, readItemNumbers } from './agentgym/item-list.js';
export { agentGymFamilies, type AgentGymFamily, type Family } from './agentgym/families.js';
export { remoteOnlyEnvs } from './agentgym/unit.js';
