// task=wandb_sync: sends runs to Weights & Biases that were offline, or that its server received incompletely.
import { optionalText, unitOptions } from '@bowyer/core';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskConfig, TaskUnit } from '../task.js';

const { seed: _, ...keysOfRun } = runKeys; // no random numbers are drawn

export const syncOptions = unitOptions({
  dir: optionalText('folder of a run or of several runs, or a log run-ID.wandb'),
});

export const wandbSyncTask: TaskUnit = {
  name: 'wandb_sync',
  description: 'send runs to Weights & Biases that were logged offline, or that its server has received only in part',
  keys: () => ({ ...keysOfRun, task: syncOptions }),
  plays: false,
  problems: ({ task: { dir } }: TaskConfig<typeof syncOptions>) =>
    dir === null
      ? [{ key: 'dir', message: 'task=wandb_sync needs runs to send: dir is null', remedy: 'give dir=FOLDER' }]
      : [],
  load: async () => (await import('./wandb-sync.js')).wandbSync,
};
