// Defines the options of task=reverify, which plays the actions of stored episodes again to compute their rewards under another
// reward or other options; no model takes part.
import type { TProperties } from '@sinclair/typebox';
import { optionalText, unitOptions } from '@bowyer/core';
import { environmentKeysOf, oracleKeysOf } from '../../agent/environment/environment-keys.js';
import type { Choices } from '../../agent/keys/choices.js';
import { seedlessKeys } from '../../keys/run-keys.js';
import { itemKeys } from '../evaluate/items.js';
import { missingOptions } from '../missing-options.js';
import type { TaskUnit } from '../task.js';

function keys(choices: Choices): TProperties {
  const { split: _split, ...items } = itemKeys(choices) as TProperties; // every stored episode names its split
  return {
    ...seedlessKeys,
    ...environmentKeysOf(choices),
    ...oracleKeysOf(choices),
    task: unitOptions({
      input: optionalText(
        'file of episodes as a run stores them, required: trajectories/test.jsonl or rollout.jsonl of its folder',
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
  problems: ({ task: { input } }: { task: { input: string | null } }) =>
    missingOptions(
      'reverify',
      'stored episodes',
      { input },
      'give those of a run: task.input=RUN_FOLDER/trajectories/test.jsonl',
    ),
  load: async () => (await import('./reverify.js')).reverify,
};
