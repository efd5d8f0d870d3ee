// task=play: a person plays in the terminal.
import { Type } from '@sinclair/typebox';
import { nullable } from '@bowyer/core';
import { environmentKeysOf, oracleKeysOf } from '@bowyer/agent';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';

export const playTask: TaskUnit = {
  name: 'play',
  description: 'play an environment yourself',
  keys: (choices) => ({
    ...runKeys,
    ...environmentKeysOf(choices),
    ...oracleKeysOf(choices),
    output: nullable(Type.String(), 'JSONL file to which finished episodes are appended; null: none'),
  }),
  plays: true,
  load: async () => (await import('./play.js')).play,
};
