// What behaviour cloning on dialogues and on conversations share: where it stands between two optimizer steps, and what it
// tells of itself on the way. A learner that goes on from there ends with the numbers of one that never stopped.
import type { Metrics } from './types.js';

/** All of the loop's own state: the order of the examples follows from the seed and the epoch. */
export interface ImitationProgress {
  /** Optimizer steps taken. */
  step: number;
  /** Losses of the epoch under way, added up. */
  lossSum: number;
  /** What they are to be divided by. */
  count: number;
}

export interface ImitationHooks {
  /** Where an earlier process left off; the policy and its optimizer are as they were then. */
  from?: ImitationProgress;
  progress(done: number, total: number): void;
  /** Called after every epoch. */
  onEpoch(epoch: number, metrics: Metrics): Promise<void>;
  /** Called after every optimizer step. @returns false to stop here */
  afterStep?(progress: ImitationProgress): Promise<boolean>;
}

/** Before the first step. */
export const untrained: ImitationProgress = { step: 0, lossSum: 0, count: 0 };
