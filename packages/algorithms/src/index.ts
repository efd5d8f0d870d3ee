export { archer, type ArcherOptions } from './recipes/archer.js';
export { chai, type ChaiOptions } from './recipes/chai.js';
export { onlineFilteredBc, type FilteredBcOptions, type FilteredBcRun } from './recipes/online-filtered-bc.js';
export { bc, type BcOptions, type BcRun } from './recipes/bc.js';
export { conversationBc, conversationExample, learntTokens, type ConversationBcRun } from './conversation-bc.js';
export type { ImitationHooks, ImitationProgress } from './imitation.js';
export { type CriticOptions, type CriticRun } from './update/critic-update.js';
export { criticCalibration, evaluate, type Evaluation } from './rollout/evaluate.js';
export { episodeMetrics, play } from './rollout/collect.js';
export { type Player, type ReadyTurn } from './rollout/player.js';
export { PolicyPlayer } from './rollout/policy-player.js';
export { type Dialogue, type Dialogues } from './rollout/dialogue.js';
export { textDialogues } from './rollout/text-dialogue.js';
export { chatDialogues, type ChatOptions } from './rollout/chat-dialogue.js';
export { BestOfNPlayer } from './rollout/best-of-n-player.js';
export { SharedClip, type ClipScope } from './update/shared-clip.js';
export { demonstrationSegment, tokenExamples, type Demonstration, type WeightedUtterance } from './update/token-examples.js';
export type {
  LoopOptions,
  Metrics,
  OnFailure,
  OnlineRun,
  OpenPlayer,
  PlayOptions,
  ReplayItem,
  RunHooks,
} from './types.js';
export {
  defineAlgorithm,
  type Agent,
  type AlgorithmUnit,
  type AnyAlgorithm,
  type Dataset,
  type PlayerOptionsOf,
  type RecipeState,
  type TrainingRun,
} from './unit.js';
export { algorithmNames, findAlgorithm, registerAlgorithm } from './registry.js';
