// Defines the tree of a rollout, in which each call is a child of the answer that it continues.
import type { RecordedCall, RecordedChoice } from '../record/recorded.js';

/** One answer of a call. */
export interface CallNode {
  call: RecordedCall;
  choice: RecordedChoice;
  /** The answer whose prompt and tokens are the beginning of this call's prompt. */
  parent: CallNode | null;
  children: CallNode[];
}

export interface RolloutTree {
  roots: CallNode[];
  nodes: CallNode[];
  /** The branches, each from its root to a leaf. */
  branches: CallNode[][];
}
