export type {
  RecordedCall,
  RecordedChoice,
  RecordedMessage,
  RecordedReward,
  RecordedRollout,
} from './record/recorded.js';
export type { CallNode, RolloutTree } from './tree/tree.js';
