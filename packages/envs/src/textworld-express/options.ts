// The options of the TextWorldExpress environments and their schema.
import type { Fold } from './parameters.js';

export interface TextWorldExpressOptions {
  fold: Fold | null;
  params: string;
  stepLimit: number;
  contentDir: string | null;
  showValidActions: boolean;
}

export const textWorldExpressSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    fold: {
      description:
        'Content in play; recipes, objects, nouns and problems differ between the folds. null: train, dev and test as the run trains, evaluates and tests.',
      anyOf: [{ type: 'string', enum: ['train', 'dev', 'test'] }, { type: 'null' }],
      default: null,
    },
    params: {
      description: "The world's size as 'name=value,name=value', for example 'numLocations=3,includeDoors=1'.",
      type: 'string',
      default: '',
    },
    stepLimit: {
      description: 'The first action after this many truncates the episode, so stepLimit + 1 actions are played.',
      type: 'integer',
      minimum: 0,
      default: 100,
    },
    contentDir: {
      description: "Folder with TextWorldExpress's two content files; null plays with the built-in content.",
      type: ['string', 'null'],
      default: null,
    },
    showValidActions: {
      description: 'Write the valid actions below every observation.',
      type: 'boolean',
      default: false,
    },
  },
} as const;
