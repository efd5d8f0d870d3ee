export {
  defineAlgorithm,
  type AlgorithmDeclaration,
  type AlgorithmUnit,
  type AnyAlgorithm,
  type PlayerOptionsOf,
  type ValueFunction,
} from './run/algorithm-unit.js';
export { type AlgorithmRun } from './run/algorithm-run.js';
export { type WatchOptions } from './run/watch.js';
export {
  trainingRun,
  type Agent,
  type ConversationOutcome,
  type Dataset,
  type AlgorithmState,
  type TrainingRun,
  type TrainingRunParts,
} from './run/training-run.js';
export type { Metrics, OnFailure, RunHooks } from './rollout/run-hooks.js';
export { Diagnostics, type DiagnosticsOptions, type Sampler } from './run/diagnostics.js';

export { algorithmNames, findAlgorithm, registerAlgorithm } from './registry.js';
export * from './algorithms.js';

export { loopOptions } from './rollout/loop-options.js';
export { gammaOption } from './learning/learning-options.js';
export { demonstrationSegments, demonstrationTrajectory } from './dataset/demonstrations.js';
export { packTurns, type LearnedTurn, type TurnBatch } from './learning/pack-turns.js';
export { onlineActor, policyRate, rateFollowsIterations, type IterationSchedule } from './learning/policy-rate.js';
export { type ReferencePolicy } from './learning/reference-policy.js';
export {
  klMembers,
  passMembers,
  surrogateLoss,
  type AdvantageTurn,
  type PolicyUpdateOptions,
} from './policy-gradient/policy-loss.js';
export { updatePolicy } from './policy-gradient/policy-update.js';
export { conversationExamples, conversationLosses, learnedTokens, type Examples } from './imitation/examples.js';
export { imitate, type ImitationSettings } from './imitation/imitate.js';
export { loggingStepsKey } from './dataset/passes.js';

export {
  collect,
  episodeSeed,
  play,
  type GroupOptions,
  type PlayContext,
  type PlayedSet,
  type PlaySet,
  type RolloutsAhead,
  type SetWatch,
} from './rollout/collect.js';
export { failureReasons, reasonKey, SHOWN_REASONS, type FailureReason } from './rollout/failure-reasons.js';
export { episodeMetrics, rolloutMetrics } from './rollout/episode-metrics.js';
export { criticCalibration, decodingsOf, evaluate, type Decoding, type Evaluation } from './rollout/evaluate.js';
export { withHorizon } from './rollout/horizon.js';
export { InterruptedError } from './rollout/interrupted.js';
export type { ReplayItem, ReplayPlacement } from './rollout/replay.js';
export type { ActRequest, OpenPlayer, Player, PlayOptions } from './rollout/player.js';
export { PolicyPlayer, policyPlayer, withTerminators } from './rollout/policy-player.js';
export { actionChoices, type ActionChoice, type Dialogue, type Dialogues } from './rollout/dialogue.js';
export { textDialogues } from './rollout/text-dialogue.js';
export { chatDialogues, messageOf, type ChatOptions } from './rollout/chat-dialogue.js';
export { segmentsOf, type TurnTokens } from './rollout/turn-tokens.js';
export { Collector } from './rollout-modes/collector.js';
export { LockStepRollouts } from './rollout-modes/lock-step-rollouts.js';
export { AsynchronousRollouts, type StreamState } from './rollout-modes/asynchronous-rollouts.js';
export { StalenessQueue } from './rollout-modes/staleness-queue.js';
