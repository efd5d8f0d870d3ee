export {
  cacheKeys,
  conversationKeys,
  criticKeys,
  criticNode,
  deviceKeys,
  endpointNode,
  hubKeys,
  loraKeys,
  optimizerNode,
  playKeys,
  policyKeys,
  policyNode,
  remotePolicyNode,
  rolloutNode,
  samplingKeys,
  samplingPrecisionKey,
  scheduleGroup,
  seedKey,
  templateKeys,
  trainingKeys,
  warmStartNode,
  writerKeys,
  writerOptions,
  type AgentConfig,
} from './keys/agent-keys.js';
export type { Choices } from './keys/choices.js';
export { hubId } from './folders/hub-id.js';
export { useLocalModels, type ModelPlaces } from './folders/hub-models.js';
export {
  agentFolderOf,
  criticFolderOf,
  isAdapterFolder,
  epochsOf,
  learnedConversations,
  memoryFileOf,
  modelNameOf,
  modelProblem,
  runOf,
} from './folders/model-folders.js';
export { isWeightsFile, isWhole } from './folders/weights-file.js';
export { openEnvParts } from './environment/env-parts.js';
export { environmentKeysOf, envNodeSchema, oracleKeysOf, type EnvConfig } from './environment/environment-keys.js';
export {
  engineText,
  environmentOf,
  hasEnvironment,
  environmentOptions,
  optimalReturnOf,
  replayEnvironment,
  splitPlanOf,
  wholeEnvironmentOf,
  type EnvironmentConfig,
} from './environment/environment.js';
export { agentEnvironment, contextOf, demonstrationsIn, type ContextConfig } from './context/agent-context.js';
export {
  actionChoiceProblems,
  contextChanged,
  contextKeyProblems,
  contextKeys,
  contextNode,
  expertProblems,
} from './context/context-keys.js';
export { AgentMemory, openMemoryOf, type MemoryConfig } from './memory/agent-memory.js';
export { memoryChanged, memoryKeyProblems, memoryKeys, memoryNode } from './memory/memory-keys.js';
export { maskedTokenIds, terminatorIds } from './chat/agent-tokens.js';
export {
  chatTemplateOf,
  keptTemplate,
  loadChatTemplate,
  withMessages,
  type TemplateConfig,
} from './chat/chat-setup.js';
export { dialoguesOf, type DialogueConfig } from './chat/dialogues.js';
export { textRules, warnOfTextRules } from './chat/text-rules.js';
export { demonstrationProblems, demonstrationsNode } from './demonstrations/demonstration-keys.js';
export { makeDemonstrations, type DemonstrationConfig } from './demonstrations/demonstrations.js';
export { EpisodeKeys } from './demonstrations/episode-keys.js';
export {
  asConversations,
  datasetFor,
  fitted,
  loadImitationData,
  tokenCounts,
} from './demonstrations/imitation-data.js';
export { atLine, JsonLineError, readJsonLines } from './demonstrations/json-lines.js';
export { readEpisodes } from './demonstrations/read-episodes.js';
export { asServed } from './chat/served-dialogues.js';
export { checkWrittenWhole } from './demonstrations/written-whole.js';
export { checkTerminator, checkTextRules } from './policy/check-text-rules.js';
export { deviceOf, settleDevice, type DeviceConfig } from './policy/device-choice.js';
export { freshPolicy, type FreshPolicyConfig } from './policy/fresh-policy.js';
export {
  loadPolicy,
  policyOptimizer,
  restoreOptimizer,
  savePolicyState,
  type PolicyConfig,
} from './policy/policy-setup.js';
export { quantizationProblems, type QuantizationConfig } from './policy/quantization-problems.js';
export { referenceOf, teacherOf, type Start } from './policy/reference-policy.js';
export { restorePolicy, startRestorer } from './policy/restore-start.js';
export { makeValueModel } from './policy/value-model.js';
export { makeCritic, type CriticConfig } from './critic/critic-setup.js';
export { warmStart, warmStartHash, type WarmStartConfig } from './warm-start/warm-start.js';
export { openChat } from './play/open-chat.js';
export { EndpointPlayer, type EndpointConfig } from './play/endpoint-player.js';
export { playOptions, recipeOptions, type PlayConfig } from './play/play-options.js';
export { remotePolicyProblems } from './play/remote-policy-problems.js';
export { openRemoteRollouts, type RemotePolicyConfig } from './play/remote-rollouts.js';
export { rolloutProblems } from './play/rollout-problems.js';
export { samplingPrecisionProblems, samplesIntegers, type SamplingPrecisionConfig } from './play/sampling-precision.js';
export { openRolloutsAhead, type RolloutConfig, type RolloutsAhead } from './play/rollouts-ahead.js';
