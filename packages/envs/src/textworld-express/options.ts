// The options of the TextWorldExpress environments and their schema.
import { LONGEST_WAIT_MS } from '@bowyer/core';
import type { Fold } from './parameters.js';

export interface TextWorldExpressOptions {
  backend: 'embedded' | 'java';
  baseUrl: string | null;
  timeoutMs: number;
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
    backend: {
      description: "'embedded' plays in this process; 'java' plays in a listening TextWorldExpress simulator.",
      type: 'string',
      enum: ['embedded', 'java'],
      default: 'embedded',
    },
    baseUrl: {
      description: "host:port of the simulator for backend 'java'; null means 127.0.0.1:25335.",
      type: ['string', 'null'],
      default: null,
    },
    timeoutMs: {
      description: "Milliseconds that connecting and each answer may take with backend 'java'.",
      type: 'integer',
      minimum: 1,
      maximum: LONGEST_WAIT_MS,
      default: 30_000,
    },
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
