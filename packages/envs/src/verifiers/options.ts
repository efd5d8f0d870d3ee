import { integer, option, text } from '@bowyer/core';
import { options, type OptionsOf } from '../option.js';

export const verifiersSchema = options({
  data: text(
    null,
    'File of tasks, .jsonl or .csv, with prompt and, where rewards or demonstrations need them, answer, info and completion; null: a small set that ships with Bowyer.',
  ),
  rewards: text(
    null,
    'Module whose exported functions are the rewards, .ts or .js; null: the reward is 1 if the reply gives the answer that the task has in `data`, else 0.',
  ),
  weights: option<Readonly<Record<string, number>> | null>({
    description:
      'Weight of each reward by the name of its function; a reward with weight 0 is only logged; null: the weights that the module exports.',
    type: ['object', 'null'],
    additionalProperties: { type: 'number' },
    default: null,
  }),
  fields: option<readonly string[]>({
    description:
      'Tags that are read in each reply, such as answer in <answer>…</answer>. The answer is the text of the tag answer, else of the last tag in this list. Empty: the whole reply is the answer.',
    type: 'array',
    items: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_.-]*$' },
    uniqueItems: true,
    default: [],
  }),
  instruction: text('', 'Text before each prompt, followed by an empty line; empty: none.'),
  maxTurns: integer(
    10,
    'Largest number of turns, if the module exports respond; the rewards are computed at the end of the episode.',
  ),
});

export type VerifiersOptions = OptionsOf<typeof verifiersSchema>;
