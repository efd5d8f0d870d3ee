export { AgentServer, type AgentServerOptions } from './endpoint/agent-server.js';
export type { GivenReward, OpenRollout, RolloutEnd } from './endpoint/recorder.js';
export { RolloutStateError, UnknownRolloutError } from './endpoint/rollout-state-error.js';
export { RolloutLog, readRollouts, type RolloutLogOptions } from './record/rollout-log.js';
export type { RolloutOrigin } from './record/log-event.js';
export type {
  RecordedCall,
  RecordedChoice,
  RecordedMessage,
  RecordedReward,
  RecordedRollout,
} from './record/recorded.js';
export { effectiveRewards } from './record/effective-rewards.js';
export { treeOf } from './tree/build-tree.js';
export type { CallNode, RolloutTree } from './tree/tree.js';
export type { SplicePolicy } from './tree/prompt.js';
