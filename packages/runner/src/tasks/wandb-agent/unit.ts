// Defines the options of task=wandb_agent, which runs trials of a Weights & Biases sweep, with the sweep's parameters as
// overrides.
import { integer, optional, optionalText, texts, unitOptions } from '@bowyer/core';
import { seedlessKeys } from '../../keys/run-keys.js';
import { missingOptions } from '../missing-options.js';
import type { TaskConfig, TaskUnit } from '../task.js';

export const wandbAgentOptions = unitOptions({
  sweep: optionalText('the sweep, required: ID, PROJECT/ID or ENTITY/PROJECT/ID, as W&B shows it'),
  command: texts(
    [],
    'words of each trial’s command line before the sweep’s parameters, for instance [--config-name,archer_20q]',
  ),
  trials: optional(integer, 'number of trials after which the agent ends; null: it ends with the sweep'),
});

export const wandbAgentTask: TaskUnit = {
  name: 'wandb_agent',
  description: 'run the trials of a sweep of Weights & Biases',
  keys: () => ({ ...seedlessKeys, task: wandbAgentOptions }),
  plays: false,
  problems: ({ task: { sweep } }: TaskConfig<typeof wandbAgentOptions>) =>
    missingOptions('wandb_agent', 'a sweep', { sweep }, 'give task.sweep=ENTITY/PROJECT/ID'),
  load: async () => (await import('./wandb-agent.js')).wandbAgent,
};
