// Opens the checkpoints of a run, with the state in each of them that is not tensors.
import { join } from 'node:path';
import type { AlgorithmState } from '@bowyer/algorithms';
import { CheckpointStore } from '@bowyer/checkpoints';

/** The state of a run besides its tensors. */
export interface CheckpointProgress {
  nextIteration: number;
  /** Length in bytes of each JSONL file when the checkpoint was written. */
  fileLengths: Record<string, number>;
  best: { iteration: number; score: number } | null;
  state: AlgorithmState;
  /** The planned number of iterations of the run; null where its algorithm has none, absent in older checkpoints. */
  iterations?: number | null;
}

/** Opens the checkpoints in a run's folder. */
export const checkpointsOf = (directory: string): CheckpointStore<CheckpointProgress> =>
  new CheckpointStore(join(directory, 'checkpoints'), 'start again in a new directory: save_path=NEW_FOLDER');
