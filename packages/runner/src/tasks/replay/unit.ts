// Defines the options of task=replay, which plays recorded actions in an environment and writes the environment's observations
// and rewards.
import { optionalText, unitOptions } from '@bowyer/core';
import { environmentKeysOf } from '../../agent/environment/environment-keys.js';
import { seedlessKeys } from '../../keys/run-keys.js';
import { missingOptions } from '../missing-options.js';
import type { TaskConfig, TaskUnit } from '../task.js';

export const replayOptions = unitOptions({
  input: optionalText('JSONL file to read, required: {reset, actions}'),
  output: optionalText('JSONL file to write, required: {reset, steps}'),
});

export const replayTask: TaskUnit = {
  name: 'replay',
  description: 'play recorded actions again and write what the environment answers',
  keys: (choices) => ({
    ...seedlessKeys,
    ...environmentKeysOf(choices),
    task: replayOptions,
  }),
  plays: true,
  problems: ({ task: { input, output } }: TaskConfig<typeof replayOptions>) =>
    missingOptions(
      'replay',
      'the actions to play and a file to write',
      { input, output },
      'give both: task.input=FILE.jsonl task.output=FILE.jsonl',
    ),
  load: async () => (await import('./replay.js')).replay,
};
