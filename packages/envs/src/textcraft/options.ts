import { choice, integer, option, text } from '@bowyer/core';
import { backendProperties } from '../agentgym/backend.js';
import { options, type OptionsOf } from '../option.js';

export const textCraftSchema = options({
  ...backendProperties,
  observation: choice(
    ['history', 'turn'],
    'history',
    "'history': the task and all actions and answers so far; 'turn': only the last answer, as on AgentGym's server.",
  ),
  stepLimit: integer(30, 'Actions after which an episode is truncated.'),
  depth: integer(null, 'Depth of the goals: the number of crafts that build on one another, 1…4; null: any depth.'),
  goal: option<number | null>({
    description: "Number of the goal, counted as AgentGym's data_idx; null: the seed draws one.",
    type: ['integer', 'null'],
    default: null,
  }),
  distractors: integer(
    10,
    "Largest number of listed commands that the goal does not need; AgentGym's server lists 10.",
    {
      minimum: 0,
    },
  ),
  recipes: text(
    null,
    "Folder of Minecraft's recipe JSON files, or JSONL file with file and recipe on each line; null: the built-in recipes.",
  ),
  recipeOrder: text(
    null,
    'File that lists the recipe files in reading order, on which the goals depend; null: sorted by name.',
  ),
});

export type TextCraftOptions = OptionsOf<typeof textCraftSchema>;
