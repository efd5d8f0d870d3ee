// Opens the checkpoints in a run's folder, and defines the progress that each contains besides the tensors of its models.
import { join } from 'node:path';
import type { AlgorithmState } from '@bowyer/algorithms';
import { CheckpointStore } from '@bowyer/checkpoints';

/** The progress of a run that a checkpoint contains besides tensors. */
export interface CheckpointProgress {
  nextIteration: number;
  /** In bytes, when the checkpoint was written; a resumed run cuts the files to it. */
  fileLengths: Record<string, number>;
  best: { iteration: number; score: number } | null;
  state: AlgorithmState;
  /**
   * The planned number of iterations of the run; null if its algorithm has no iterations, absent in checkpoints of older
   * versions.
   */
  iterations?: number | null;
}

export const checkpointsOf = (directory: string): CheckpointStore<CheckpointProgress> =>
  new CheckpointStore(join(directory, 'checkpoints'), 'start again in a new directory: save_path=NEW_FOLDER');
