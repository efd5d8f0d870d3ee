// Defines the tree of a rollout's model calls, in which each call is a child of the answer that its prompt continues.
import type { RecordedCall, RecordedChoice } from '../record/recorded.js';

/** A node of the tree: one answer of a model call. */
export interface CallNode {
  call: RecordedCall;
  choice: RecordedChoice;
  /** The answer whose prompt and tokens are a prefix of this call's prompt; null for a root. */
  parent: CallNode | null;
  children: CallNode[];
}

export interface RolloutTree {
  roots: CallNode[];
  nodes: CallNode[];
  /** The branches of the tree, each from a root to a leaf. */
  branches: CallNode[][];
}
