// task=replay: plays recorded actions again and writes the environment's answers.
import { optionalText, unitOptions } from '@bowyer/core';
import { environmentKeysOf } from '../../agent/environment/environment-keys.js';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskConfig, TaskUnit } from '../task.js';

const { seed: _, ...keysOfRun } = runKeys; // no random numbers are drawn

export const replayOptions = unitOptions({
  input: optionalText('JSONL file to read: {reset, actions}'),
  output: optionalText('JSONL file to write: {reset, steps}'),
});

export const replayTask: TaskUnit = {
  name: 'replay',
  description: 'play recorded actions again and write what the environment answers',
  keys: (choices) => ({
    ...keysOfRun,
    ...environmentKeysOf(choices),
    task: replayOptions,
  }),
  plays: true,
  problems({ task: { input, output } }: TaskConfig<typeof replayOptions>) {
    const missing = Object.entries({ input, output }).find(([, file]) => file === null);
    if (missing === undefined) return [];
    return [
      {
        key: missing[0],
        message: `task=replay needs the actions to play and a file to write: ${missing[0]} is null`,
        remedy: 'give both: input=FILE.jsonl output=FILE.jsonl',
      },
    ];
  },
  load: async () => (await import('./replay.js')).replay,
};
