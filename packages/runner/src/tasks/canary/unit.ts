// Defines the options of task=canary, which compares a served model with its canary (a new model that answers a share of the
// conversations) and changes the canary's share.
import { fraction, optional, optionalText, unitOptions } from '@bowyer/core';
import { seedlessKeys } from '../../keys/run-keys.js';
import { missingOptions } from '../missing-options.js';
import type { TaskConfig, TaskUnit } from '../task.js';

export const canaryOptions = unitOptions({
  record: optionalText('folder in which task=serve_model records (its task.record); required'),
  share: optional(
    fraction,
    'share of the conversations that the canary answers from now on: 1 for all, 0 for none; null: only show the table',
  ),
});

export const canaryTask: TaskUnit = {
  name: 'canary',
  description: 'compare a served model with its canary by their feedback, and change the canary’s share',
  keys: () => ({ ...seedlessKeys, task: canaryOptions }),
  plays: false,
  problems: ({ task: { record } }: TaskConfig<typeof canaryOptions>) =>
    missingOptions(
      'canary',
      'the record of a server',
      { record },
      'give the folder that --config-name serve_model was given: task.record=FOLDER',
    ),
  load: async () => (await import('./canary.js')).canary,
};
