// task=replay: plays recorded actions again and writes what the environment answered.
import { Type } from '@sinclair/typebox';
import { nullable } from '@bowyer/core';
import { environmentKeysOf } from '@bowyer/agent';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';

const { seed: _, ...keysOfRun } = runKeys; // nothing is drawn

export const replayTask: TaskUnit = {
  name: 'replay',
  description: 'play recorded actions again and write what the environment answers',
  keys: (choices) => ({
    ...keysOfRun,
    ...environmentKeysOf(choices),
    input: nullable(Type.String(), 'JSONL file to read: {reset, actions}'),
    output: nullable(Type.String(), 'JSONL file to write: {reset, steps}'),
  }),
  plays: true,
  problems({ input, output }) {
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
