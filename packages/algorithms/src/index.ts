export {
  defineAlgorithm,
  type Agent,
  type AlgorithmUnit,
  type AnyAlgorithm,
  type Dataset,
  type PlayerOptionsOf,
  type RecipeState,
  type ReferencePolicy,
  type TrainingRun,
  type ValueFunction,
} from './unit.js';
export { trainingRun, type TrainingRunParts } from './training-run.js';
export { algorithmNames, findAlgorithm, registerAlgorithm } from './registry.js';
export {
  agentEvol,
  archer,
  bc,
  chai,
  dagger,
  gigpo,
  grpo,
  onlineFilteredBc,
  ppo,
  reinforcePp,
  rloo,
} from './recipes/index.js';
export {
  conversationExample,
  conversationExamples,
  conversationLoss,
  learnedTokens,
  type Examples,
} from './dataset/examples.js';
export { type DatasetEvaluation } from './dataset/dataset-evaluation.js';
export { imitate, type ImitationSettings } from './dataset/imitate.js';
export type { Metrics, OnFailure, OpenPlayer, PlayOptions, ReplayItem, RunHooks } from './types.js';
export { collect, episodeMetrics, rolloutMetrics } from './rollout/collect.js';
export { withHorizon } from './rollout/horizon.js';
export { InterruptedError } from './rollout/interrupted.js';
export { play, type PlayContext, type RolloutSource } from './rollout/play.js';
export { Collector } from './ahead/collector.js';
export { LockStepRollouts } from './ahead/lock-step-rollouts.js';
export { AsynchronousRollouts, type StreamState } from './ahead/asynchronous-rollouts.js';
export { StalenessQueue } from './ahead/staleness-queue.js';
export type { ReplayPlacement } from './rollout/replay.js';
export { evalDecodingKey, loopKeys } from './rollout/loop-keys.js';
export { Diagnostics, type DiagnosticsOptions, type Sampler } from './rollout/diagnostics.js';
export { criticCalibration, decodingsOf, evaluate, type Decoding, type Evaluation } from './rollout/evaluate.js';
export { type ActRequest, type Player } from './rollout/player.js';
export { PolicyPlayer, policyPlayer, withTerminators } from './rollout/policy-player.js';
export { BestOfNPlayer } from './rollout/best-of-n-player.js';
export { actionChoices, type ActionChoice, type Dialogue, type Dialogues } from './rollout/dialogue.js';
export { textDialogues } from './rollout/text-dialogue.js';
export { chatDialogues, messageOf, type ChatOptions } from './rollout/chat-dialogue.js';
export { segmentsOf, type TurnTokens } from './rollout/turn-tokens.js';
export {
  policyUpdateKeys,
  policyUpdateProblems,
  updatePolicy,
  type AddedLoss,
  type AdvantageTurn,
  type PolicyUpdateOptions,
} from './update/policy-update.js';
export { packTurns, type LearnedTurn, type TurnBatch } from './update/turn-batch.js';
export { rateFollowsIterations } from './update/policy-rate.js';
export { SharedClip, type ClipScope } from './update/shared-clip.js';
export {
  demonstrationSegments,
  demonstrationTrajectory,
  tokenExamples,
  type WeightedUtterance,
} from './update/token-examples.js';
