export { AgentServer, type AgentServerOptions } from './endpoint/agent-server.js';
export { ProxyServer, type ProxyServerOptions } from './endpoint/proxy/proxy-server.js';
export { Cassette } from './endpoint/replay/cassette.js';
export { ReplayServer, type ReplayServerOptions } from './endpoint/replay/replay-server.js';
export type { GivenReward, OpenRollout, RolloutEnd } from './endpoint/recorder.js';
export { RolloutStateError, UnknownRolloutError } from './endpoint/rollout-state-error.js';
export { RolloutLog, readRollouts, type RolloutLogOptions } from './record/rollout-log.js';
export type {
  RecordedCall,
  RecordedChoice,
  RecordedCorrection,
  RecordedMessage,
  RecordedReward,
  RecordedRollout,
  RolloutOrigin,
  FixedSampling,
} from './record/recorded.js';
export { costOf, usageOf, type Prices, type Usage } from './record/usage.js';
export { requireTokens } from './record/require-tokens.js';
export { effectiveRewards } from './record/effective-rewards.js';
export { finalRewards, REWARD } from './trajectories/final-rewards.js';
export { treeOf } from './tree/build-tree.js';
export type { CallNode, RolloutTree } from './tree/tree.js';
export type { SplicePolicy } from './tree/prompt.js';

// Recorded calls of a served model, and users' feedback on its answers.
export { conversationKey, isOfCanary, readCanary, writeCanary, type Canary } from './traffic/canary.js';
export { compareArms, type Arm, type ArmComparison } from './traffic/compare-arms.js';
export { feedbackRoutes } from './traffic/feedback-routes.js';
export { redactPatterns, type Redact } from './traffic/redacted.js';
export { TrafficRecorder, type Feedback, type TrafficRecorderOptions } from './traffic/traffic-recorder.js';

// Agents of the user, programs or functions, whose rollouts are episodes for training.
export { recordTasks, type RecordTasksOptions } from './play/record-tasks.js';
export { rolloutPlayer, type RolloutHost, type RolloutPlayOptions } from './play/play-rollouts.js';
export type {
  JudgeRollout,
  PlayedRollout,
  RankedRollout,
  RankGroup,
  RolloutAddress,
  RunAgent,
} from './play/run-agent.js';
export { checkTasks, readTasks, splitTasks, type HeldOut, type SplitTasks } from './play/tasks.js';
export type { AgentTask } from './play/agent-task.js';
export { agentProgram, agentVariables, fitsVariable, type AgentProgramOptions } from './programs/agent-program.js';
export { judgeProgram, type JudgeProgramOptions } from './programs/judge-program.js';
export { verdictOf, type Verdict } from './rewards/verdict.js';
export { reportVerdict, type VerdictSink } from './play/report-verdict.js';
export { conversationsOf, type RecordedConversation } from './trajectories/conversations-of.js';
export { writeConversations, type WrittenConversations } from './trajectories/write-conversations.js';
export { writeRecordedData, type RecordedUse } from './trajectories/recorded-data.js';
export { trajectoryOf, type TrajectoryOptions } from './trajectories/trajectory-of.js';

// The evolution of prompts by GEPA, and judges that compare the rollouts of a group.
export type { Candidate, Prompts } from './prompts/candidates.js';
export {
  bestPrompts,
  evolvePrompts,
  type EvolutionOptions,
  type EvolutionParts,
  type EvolutionState,
  type IterationReport,
  type Trial,
  type TrialSet,
} from './prompts/evolve-prompts.js';
export { reflectedText, reflectionMessage } from './prompts/reflection.js';
export { commonPrompts, withPrompts } from './prompts/prompt-places.js';
export { judgedDialogue } from './rewards/judged-dialogue.js';
export { judgeGroup, usualRubric, type JudgedMessage, type JudgeOptions } from './rewards/judge.js';
