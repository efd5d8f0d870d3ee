// The options of TextCraft.

export interface TextCraftOptions {
  observation: 'history' | 'turn';
  stepLimit: number;
  depth: number | null;
  goal: number | null;
  distractors: number;
  recipes: string | null;
  recipeOrder: string | null;
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
      description: 'Depth of the goals that seeds draw: crafts on top of one another, 1…4; null: any depth.',
      type: ['integer', 'null'],
      minimum: 1,
      default: null,
    },
    goal: {
      description: "Number of the goal, counted as AgentGym's data_idx; null: the seed draws one.",
      type: ['integer', 'null'],
      default: null,
    },
    distractors: {
      description: 'Largest number of listed commands that the goal does not need; the server has 10.',
      type: 'integer',
      minimum: 0,
      default: 10,
    },
    recipes: {
      description:
        "Folder of Minecraft's recipe JSON files, or JSONL file with file and recipe on each line; null: the built-in recipes.",
      type: ['string', 'null'],
      default: null,
    },
    recipeOrder: {
      description: 'File with the names of the recipe files in reading order, which decides the goals; null: by name.',
      type: ['string', 'null'],
      default: null,
    },
  },
} as const;
