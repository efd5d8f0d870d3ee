// Options of the environment `math`.
import { kindNames, type KindName } from './generator.js';
import type { Level } from './kinds/kind.js';

export interface MathOptions {
  problems: string | null;
  kinds: readonly KindName[];
  level: Level;
  instruction: string;
  maxAttempts: number;
  calculations: boolean;
}

export const mathSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    problems: {
      description:
        'File of problems, .csv or .jsonl, with question, answer and, to imitate, solution; null: problems made from the seed.',
      type: ['string', 'null'],
      default: null,
    },
    kinds: {
      description: 'Kinds of the problems that are made here.',
      type: 'array',
      items: { type: 'string', enum: kindNames },
      minItems: 1,
      uniqueItems: true,
      default: kindNames,
    },
    level: {
      description:
        'Difficulty of the problems that are made here; 1: one step, 2: two steps, 3: three steps or fractions.',
      type: 'integer',
      enum: [1, 2, 3],
      default: 1,
    },
    instruction: {
      description: 'Text before each problem, for models that follow instructions; empty: none.',
      type: 'string',
      default: '',
    },
    maxAttempts: {
      description:
        'Solutions that may be given to a problem; after a wrong one the verifier says so. Running out of them terminates.',
      type: 'integer',
      minimum: 1,
      default: 1,
    },
    calculations: {
      description:
        'Whether a calculation, such as 2^{10} for 1024, is right where the reference is a number, as in Math-Verify; false: it may be the problem written again.',
      type: 'boolean',
      default: false,
    },
  },
} as const;
