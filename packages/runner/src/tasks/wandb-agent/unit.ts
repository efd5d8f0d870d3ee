// task=wandb_agent: runs the trials of a sweep of Weights & Biases, its parameters as overrides.
import { Type } from '@sinclair/typebox';
import { count, nullable } from '@bowyer/core';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';

const { seed: _, ...keysOfRun } = runKeys; // each trial has its own

export const wandbAgentTask: TaskUnit = {
  name: 'wandb_agent',
  description: 'run the trials of a sweep of Weights & Biases',
  keys: () => ({
    ...keysOfRun,
    sweep: nullable(Type.String(), 'ID, PROJECT/ID or ENTITY/PROJECT/ID, as W&B shows it'),
    command: Type.Array(Type.String(), {
      description:
        'words of each trial’s command line before the sweep’s parameters, for instance [--config-name,archer_20q]',
    }),
    trials: nullable(count('trials'), 'number of trials after which the agent ends; null: it ends with the sweep'),
  }),
  plays: false,
  problems: ({ sweep }) =>
    sweep === null
      ? [
          {
            key: 'sweep',
            message: 'task=wandb_agent needs a sweep: sweep is null',
            remedy: 'give sweep=ENTITY/PROJECT/ID',
          },
        ]
      : [],
  load: async () => (await import('./wandb-agent.js')).wandbAgent,
};
