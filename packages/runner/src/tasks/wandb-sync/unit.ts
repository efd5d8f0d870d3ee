// Defines the options of task=wandb_sync, which sends runs to Weights & Biases that were logged offline, or that its server has
// received incompletely.
import { optionalText, unitOptions } from '@bowyer/core';
import { seedlessKeys } from '../../keys/run-keys.js';
import { missingOptions } from '../missing-options.js';
import type { TaskConfig, TaskUnit } from '../task.js';

export const syncOptions = unitOptions({
  dir: optionalText('what is sent, required: the folder of a run or of several runs, or a log run-ID.wandb'),
});

export const wandbSyncTask: TaskUnit = {
  name: 'wandb_sync',
  description: 'send runs to Weights & Biases that were logged offline, or that its server has received only in part',
  keys: () => ({ ...seedlessKeys, task: syncOptions }),
  plays: false,
  problems: ({ task: { dir } }: TaskConfig<typeof syncOptions>) =>
    missingOptions('wandb_sync', 'runs to send', { dir }, 'give task.dir=FOLDER'),
  load: async () => (await import('./wandb-sync.js')).wandbSync,
};
