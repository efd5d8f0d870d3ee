export {
  defineAlgorithm,
  type AlgorithmUnit,
  type AnyAlgorithm,
  type PlayerOptionsOf,
  type ValueFunction,
} from './run/algorithm-unit.js';
export { type Agent, type Dataset, type RecipeState, type TrainingRun } from './run/training-run.js';
export { type ReferencePolicy } from './learning/reference-policy.js';
export { trainingRun, type TrainingRunParts } from './run/training-run.js';
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
} from './algorithms.js';
export {
  conversationExample,
  conversationExamples,
  conversationLoss,
  learnedTokens,
  type Examples,
} from './imitation/examples.js';
export { type DatasetEvaluation } from './dataset/dataset-evaluation.js';
export { imitate, type ImitationSettings } from './imitation/imitate.js';
export type { Metrics, OnFailure, RunHooks } from './rollout/run-hooks.js';
export type { OpenPlayer, PlayOptions } from './rollout/player.js';
export type { ReplayItem } from './rollout/replay.js';
export { collect, play, type PlayContext, type RolloutSource } from './rollout/collect.js';
export { episodeMetrics, rolloutMetrics } from './rollout/episode-metrics.js';
export { withHorizon } from './rollout/horizon.js';
export { InterruptedError } from './rollout/interrupted.js';
export { Collector } from './rollout-modes/collector.js';
export { LockStepRollouts } from './rollout-modes/lock-step-rollouts.js';
export { AsynchronousRollouts, type StreamState } from './rollout-modes/asynchronous-rollouts.js';
export { StalenessQueue } from './rollout-modes/staleness-queue.js';
export type { ReplayPlacement } from './rollout/replay.js';
export { evalDecodingKey, loopKeys } from './rollout/loop-keys.js';
export { Diagnostics, type DiagnosticsOptions, type Sampler } from './run/diagnostics.js';
export { criticCalibration, decodingsOf, evaluate, type Decoding, type Evaluation } from './rollout/evaluate.js';
export { type ActRequest, type Player } from './rollout/player.js';
export { PolicyPlayer, policyPlayer, withTerminators } from './rollout/policy-player.js';
export { BestOfNPlayer } from './chai/best-of-n-player.js';
export { actionChoices, type ActionChoice, type Dialogue, type Dialogues } from './rollout/dialogue.js';
export { textDialogues } from './rollout/text-dialogue.js';
export { chatDialogues, messageOf, type ChatOptions } from './rollout/chat-dialogue.js';
export { segmentsOf, type TurnTokens } from './rollout/turn-tokens.js';
export { policyUpdateKeys, policyUpdateProblems, type PolicyUpdateOptions } from './policy-gradient/update/options.js';
export { type AdvantageTurn } from './policy-gradient/update/preparation.js';
export { type AddedLoss } from './policy-gradient/update/loss.js';
export { updatePolicy } from './policy-gradient/update/step.js';
export { packTurns, type LearnedTurn, type TurnBatch } from './learning/turn-batch.js';
export { rateFollowsIterations } from './learning/policy-rate.js';
export { SharedClip, type ClipScope } from './archer/shared-clip.js';
export {
  demonstrationSegments,
  demonstrationTrajectory,
  tokenExamples,
  type WeightedUtterance,
} from './learning/token-examples.js';
