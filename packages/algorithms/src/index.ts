export { archer, type ArcherOptions } from './archer.js';
export { chai, type ChaiOptions } from './chai.js';
export { onlineFilteredBc, type FilteredBcOptions, type FilteredBcRun } from './online-filtered-bc.js';
export { bc, type BcOptions, type BcRun } from './bc.js';
export { conversationBc, conversationExample, learntTokens, type ConversationBcRun } from './conversation-bc.js';
export type { ImitationHooks, ImitationProgress } from './imitation.js';
export { type CriticOptions, type CriticRun } from './critic-update.js';
export { criticCalibration, evaluate, type Evaluation } from './evaluate.js';
export { episodeMetrics, play } from './collect.js';
export { type Player, type ReadyTurn } from './player.js';
export { PolicyPlayer } from './policy-player.js';
export { type Dialogue, type Dialogues } from './dialogue.js';
export { textDialogues } from './text-dialogue.js';
export { chatDialogues, type ChatOptions } from './chat-dialogue.js';
export { BestOfNPlayer } from './best-of-n-player.js';
export { SharedClip, type ClipScope } from './shared-clip.js';
export { demonstrationSegment, tokenExamples, type WeightedUtterance } from './token-examples.js';
export type { Demonstration } from '@bowyer/core';
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
