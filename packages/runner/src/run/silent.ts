// Makes the output of a run on ranks other than 0, which write nothing, since their metrics are the same.
import type { RunLogger } from '@bowyer/logging';
import type { DoubleCritic, LanguageModel } from '@bowyer/models';
import type { CheckpointSink, Saveable } from './recorder.js';
import type { RecordedFiles } from './run-files.js';

export const silentFiles = (directory: string): RecordedFiles => ({
  directory,
  lengths: {},
  logMetrics: () => Promise.resolve(),
  logRollout: () => Promise.resolve(),
  logEvaluation: () => Promise.resolve(),
  logTimings: () => Promise.resolve(),
});

export const silentLogger: Pick<RunLogger, 'log' | 'checkpoint'> = { log: () => Promise.resolve() };

export const silentCheckpoints: CheckpointSink = {
  save: async (_number, _progress, write) => {
    await write('');
    return null;
  },
};

/** Takes part in saving optimizers whose state is divided among ranks: rank 0 gathers the parts in the order in which it writes them. */
export const silentSaveable = (models: readonly LanguageModel[], critic: DoubleCritic | null): Saveable => ({
  async saveState(folder) {
    for (const model of models) {
      await model.optimizer.save(folder);
      if (model.hasValueHead) await model.valueHead.optimizer.save(folder);
    }
    await critic?.optimizer.save(folder);
  },
  // The critic of an agent is saved with its optimizer, like the critic in a checkpoint.
  saveAgent: async (folder) => void (await critic?.optimizer.save(folder)),
});
