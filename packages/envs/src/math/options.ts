import { flag, integer, option, text } from '@bowyer/core';
import { kindNames, type KindName } from './generator.js';
import type { Level } from './kinds/kind.js';
import { options, type OptionsOf } from '../option.js';

export const mathSchema = options({
  problems: text(
    null,
    'File of problems, .csv or .jsonl, with question, answer and, to imitate, solution; null: problems made from the seed.',
  ),
  kinds: option<readonly KindName[]>({
    description: 'Kinds of generated problems (problems=null).',
    type: 'array',
    items: { type: 'string', enum: kindNames },
    minItems: 1,
    uniqueItems: true,
    default: kindNames,
  }),
  level: option<Level>({
    description:
      'Difficulty of generated problems (problems=null); 1: one step, 2: two steps, 3: three steps or fractions.',
    type: 'integer',
    enum: [1, 2, 3],
    default: 1,
  }),
  instruction: text('', 'Text before each problem, for models that follow instructions; empty: none.'),
  maxAttempts: integer(
    1,
    'Attempts at a problem; after a wrong answer the verifier says so, and after the last one the episode terminates.',
  ),
  calculations: flag(
    false,
    'Accept a calculation, such as 2^{10}, as the answer 1024, as Math-Verify does; false: refuse it, since it may only repeat the problem.',
  ),
});

export type MathOptions = OptionsOf<typeof mathSchema>;
