import { listedHistory, servedOffer } from '../context/context-options.js';
import {
  agentGymNames,
  backendOptionNames,
  backendReadWith,
  embeddedOnly,
  missingAddress,
  servedGame,
} from '../agentgym/backend.js';
import { instructionsOf } from '../agentgym/instructions.js';
import { expertSlipsSchema, playedSet, plannedOptions, type ExpertSlips } from '../played-demonstrations.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith } from '../unit.js';
import { Alfworld, alfworldSchema, type AlfworldOptions } from './alfworld.js';
import { alfworldDemonstrations, alfworldExpertSchema, type ExpertTies } from './demonstrations.js';
import { alfworldSplits } from './splits.js';

export const alfworldUnit = defineEnvironment<AlfworldOptions, ExpertSlips & ExpertTies>({
  name: 'alfworld',
  description: 'Household tasks in text: find, clean, heat, cool and place things, as in ALFWorld.',
  rules: ({ actionFormat }) => instructionsOf('alfworld', actionFormat, null),
  schema: alfworldSchema,
  resetSchema: resetSchemaWith({
    game: {
      description: 'Number of the game in the folder; without a folder, the seed of the household.',
      type: 'integer',
    },
  } as Record<string, { description: string }>),
  make: (options) =>
    options.backend === 'agentgym' ? servedGame('alfworld', options, options.stepLimit) : new Alfworld(options),
  splits: alfworldSplits,
  evaluation: { taskType: ({ taskType }) => taskType as string | null },
  context: ({ backend, observation }) => {
    if (backend === 'agentgym') return servedOffer;
    const parts = ['taskDescription', 'validActions'] as const;
    return observation === 'history' ? listedHistory : { observation, kind: 'dialogue', parts };
  },
  sampleActions: [
    'look',
    'inventory',
    'help',
    'go to drawer 1',
    'open drawer 1',
    'go to cabinet 1',
    'open cabinet 1',
    '',
    'go to garbagecan 1',
    'take pen 1 from drawer 1',
    'dance',
  ],
  // An episode returns 1 for the goal, else 0; policies that start to learn reach it in few episodes.
  critic: { typicalReturn: () => 0.2 },
  config: {
    flatNames: agentGymNames,
    readWith: {
      ...backendReadWith,
      games: embeddedOnly,
      taskTypes: { ...embeddedOnly, games: [null] },
      putPhrase: embeddedOnly,
      observation: embeddedOnly,
      showCommands: embeddedOnly,
    },
    problems: (options) => missingAddress('alfworld', options),
  },
  demonstrations: {
    schema: { ...expertSlipsSchema, properties: { ...expertSlipsSchema.properties, ...alfworldExpertSchema } },
    make: async (options, { ties, ...request }) =>
      playedSet(await alfworldDemonstrations({ ...options, ...plannedOptions(request), ties })),
    problem: ({ backend }) =>
      backend === 'agentgym'
        ? 'alfworld with backend=agentgym has no demonstrations: its games are on the server'
        : null,
    independentOf: backendOptionNames,
  },
});
