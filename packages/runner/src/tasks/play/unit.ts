// Defines the options of task=play, in which a person plays an environment in the terminal.
import { optionalText, unitOptions } from '@bowyer/core';
import { environmentKeysOf, oracleKeysOf } from '../../agent/environment/environment-keys.js';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';

export const playTaskOptions = unitOptions({
  output: optionalText('JSONL file to which finished episodes are appended; null: they are not saved'),
});

export const playTask: TaskUnit = {
  name: 'play',
  description: 'play an environment yourself',
  keys: (choices) => ({
    ...runKeys,
    ...environmentKeysOf(choices),
    ...oracleKeysOf(choices),
    task: playTaskOptions,
  }),
  plays: true,
  load: async () => (await import('./play.js')).play,
};
