// What can be chosen in TextCraft.

export interface TextCraftOptions {
  observation: 'history' | 'turn';
  stepLimit: number;
  depth: number | null;
  goal: number | null;
  distractors: number;
  recipes: string | null;
  recipeOrder: string | null;
  renamed: number;
}

export const textCraftSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    observation: {
      description:
        "'history': the task and all that was done and said; 'turn': the last answer alone, as AgentGym's server does.",
      type: 'string',
      enum: ['history', 'turn'],
      default: 'history',
    },
    stepLimit: {
      description: 'Actions after which an episode is truncated.',
      type: 'integer',
      minimum: 1,
      default: 30,
    },
    depth: {
      description: 'Seeds draw goals of this depth (crafts on top of one another, 1…4) only; null: of any.',
      type: ['integer', 'null'],
      minimum: 1,
      default: null,
    },
    goal: {
      description: "Always this goal, counted as AgentGym's data_idx; null draws one with the seed.",
      type: ['integer', 'null'],
      default: null,
    },
    distractors: {
      description: 'At most so many commands that the goal does not need are listed; the server has 10.',
      type: 'integer',
      minimum: 0,
      default: 10,
    },
    recipes: {
      description:
        "Folder of Minecraft's recipe JSON files or of the package minecraft-data, or JSONL file with file and recipe on each line; null: the built-in recipes.",
      type: ['string', 'null'],
      default: null,
    },
    recipeOrder: {
      description: 'File with the names of the recipe files in reading order, which decides the goals; null: by name.',
      type: ['string', 'null'],
      default: null,
    },
    renamed: {
      description:
        'Share of the games for training that are made up: items get the words of others, and the commands another order. Games of evaluation and test are as they are.',
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0,
    },
  },
} as const;
