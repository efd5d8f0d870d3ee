// Options of the environment `harbor`.

export interface HarborOptions {
  tasks: string | null;
  instruction: string;
  maxTurns: number;
  outputChars: number;
  commandMs: number;
  verifierMs: number;
  memoryMb: number;
}

const milliseconds = { type: 'integer', minimum: 100, maximum: 3_600_000 } as const;

export const harborSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    tasks: {
      description: 'Folder of Harbor tasks, or one task; null: a small set that ships with Bowyer.',
      type: ['string', 'null'],
      default: null,
    },
    instruction: {
      description: 'Text before the instruction of each task, followed by an empty line; empty: none.',
      type: 'string',
      default:
        'You work in a bash shell. Answer with one command, or a script, in a code block; you then read its output. The command submit ends the task.',
    },
    maxTurns: {
      description: 'Commands after which the episode is truncated; the tests of the task are run then, too.',
      type: 'integer',
      minimum: 1,
      default: 20,
    },
    outputChars: {
      description: 'Characters of an output that the agent reads; the middle of a longer one is left out.',
      type: 'integer',
      minimum: 100,
      default: 8_000,
    },
    commandMs: {
      description: 'Longest time for a command, in milliseconds.',
      ...milliseconds,
      default: 10_000,
    },
    verifierMs: {
      description: "Longest time for the tests, in milliseconds, where the task's own limit is not shorter.",
      ...milliseconds,
      default: 60_000,
    },
    memoryMb: {
      description: 'Memory of the shell with its files, in MiB.',
      type: 'integer',
      minimum: 64,
      maximum: 4_096,
      default: 256,
    },
  },
} as const;
