// task=reverify: scores stored episodes again, with another reward or other options, without playing.
import type { TProperties } from '@sinclair/typebox';
import { optionalText, unitOptions } from '@bowyer/core';
import { environmentKeysOf, oracleKeysOf } from '../../agent/environment/environment-keys.js';
import type { Choices } from '../../agent/keys/choices.js';
import { runKeys } from '../../keys/run-keys.js';
import { itemKeys } from '../evaluate/items.js';
import type { TaskUnit } from '../task.js';

const { seed: _, ...keysOfRun } = runKeys; // every episode has its own

function keys(choices: Choices): TProperties {
  const { split: _split, ...items } = itemKeys(choices) as TProperties; // every episode names it
  return {
    ...keysOfRun,
    ...environmentKeysOf(choices),
    ...oracleKeysOf(choices),
    task: unitOptions({
      input: optionalText(
        'file of episodes as a run stores them: trajectories/test.jsonl or rollout.jsonl of its folder',
      ),
      ...items,
    }),
  };
}

export const reverifyTask: TaskUnit = {
  name: 'reverify',
  description: 'score stored episodes again, with another reward or other options, without playing',
  keys,
  plays: true,
  problems: ({ task }: { task: { input: string | null } }) =>
    task.input === null
      ? [
          {
            key: 'input',
            message: 'task=reverify needs stored episodes: input is null',
            remedy: 'give those of a run: input=RUN_FOLDER/trajectories/test.jsonl',
          },
        ]
      : [],
  load: async () => (await import('./reverify.js')).reverify,
};
