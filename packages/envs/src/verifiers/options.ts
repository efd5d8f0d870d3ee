// Options of the environment `verifiers`.

export interface VerifiersOptions {
  data: string | null;
  rewards: string | null;
  weights: Readonly<Record<string, number>> | null;
  fields: readonly string[];
  instruction: string;
  maxTurns: number;
}

export const verifiersSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    data: {
      description:
        'File of tasks, .jsonl or .csv, with prompt and, where rewards or demonstrations need them, answer, info and completion; null: a small set that ships with Bowyer.',
      type: ['string', 'null'],
      default: null,
    },
    rewards: {
      description:
        'Module whose exported functions are the rewards, .ts or .js; null: 1 where the answer of the file is stated, else 0.',
      type: ['string', 'null'],
      default: null,
    },
    weights: {
      description:
        'Weight of each reward by the name of its function, in place of the weights that the module exports; a reward of weight 0 is measured only; null: as exported.',
      type: ['object', 'null'],
      additionalProperties: { type: 'number' },
      default: null,
    },
    fields: {
      description:
        'Tags that are read in each reply, such as answer in <answer>…</answer>; the field answer, else the last one, states the answer. Empty: the whole reply.',
      type: 'array',
      items: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_.-]*$' },
      uniqueItems: true,
      default: [],
    },
    instruction: {
      description: 'Text before each prompt, followed by an empty line; empty: none.',
      type: 'string',
      default: '',
    },
    maxTurns: {
      description:
        'Turns after which an episode is over, where the module exports respond; its rewards are then given.',
      type: 'integer',
      minimum: 1,
      default: 10,
    },
  },
} as const;
