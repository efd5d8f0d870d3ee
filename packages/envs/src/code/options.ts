// Options of the environment `code`.

export interface CodeOptions {
  data: string | null;
  reply: 'program' | 'completion';
  instruction: string;
  maxTurns: number;
  reward: 'all' | 'share';
  showTests: boolean;
  timeLimitMs: number;
  memoryMb: number;
}

export const codeSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    data: {
      description:
        'File of tasks in JavaScript or TypeScript, .jsonl or .csv, in the columns of MultiPL-E, HumanEval-X, HumanEval or MBPP; null: a small set that ships with Bowyer.',
      type: ['string', 'null'],
      default: null,
    },
    reply: {
      description:
        'program: a reply has the whole program, in its last code block or as all of its text; completion: a reply continues the code of the prompt, up to a stop token.',
      type: 'string',
      enum: ['program', 'completion'],
      default: 'program',
    },
    instruction: {
      description: 'Text before each prompt, followed by an empty line; empty: none.',
      type: 'string',
      default: 'Write this function. Answer with the whole program in one code block.',
    },
    maxTurns: {
      description: 'Attempts at a task; after each that fails, the agent reads why.',
      type: 'integer',
      minimum: 1,
      default: 1,
    },
    reward: {
      description:
        'all: 1 where all tests pass, else 0; share: at the end, the share of the tests that pass, each of which is run by itself.',
      type: 'string',
      enum: ['all', 'share'],
      default: 'all',
    },
    showTests: {
      description: 'Whether the agent reads what a failed assertion compared.',
      type: 'boolean',
      default: false,
    },
    timeLimitMs: {
      description: 'Longest time for all tests of an attempt, in milliseconds; tests that have not ended then fail.',
      type: 'integer',
      minimum: 100,
      maximum: 600_000,
      default: 5_000,
    },
    memoryMb: {
      description: 'Memory of a test and its program, in MiB.',
      type: 'integer',
      minimum: 8,
      maximum: 1_024,
      default: 64,
    },
  },
} as const;
