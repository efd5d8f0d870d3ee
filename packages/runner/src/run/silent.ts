// Makes the outputs of a run for ranks other than 0 of data-parallel training. They write nothing, since rank 0 has the same
// metrics and writes them.
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

/**
 * Takes part in saving optimizers whose state is divided among the ranks: rank 0 gathers their states, and the other ranks must
 * call `save` in the same order.
 */
export const silentSaveable = (models: readonly LanguageModel[], critic: DoubleCritic | null): Saveable => ({
  async saveState(folder) {
    for (const model of models) {
      await model.optimizer.save(folder);
      if (model.hasValueHead) await model.valueHead.optimizer.save(folder);
    }
    await critic?.optimizer.save(folder);
  },
  // An agent is saved with the state of its critic's optimizer, which is divided among the ranks, as in a checkpoint.
  saveAgent: async (folder) => void (await critic?.optimizer.save(folder)),
});
