import { listedHistory, servedOffer } from '../context/context-options.js';
import { backendOptionNames, embeddedOnly, playedHereOrServed } from '../agentgym/backend.js';
import { expertSlipsSchema, playedSet, plannedOptions, type ExpertSlips } from '../played-demonstrations.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith } from '../unit.js';
import { Alfworld, alfworldSchema, type AlfworldOptions } from './alfworld.js';
import { alfworldDemonstrations, alfworldExpertSchema, type ExpertTies } from './demonstrations.js';
import { alfworldSplits } from './splits.js';

export const alfworldUnit = defineEnvironment<AlfworldOptions, ExpertSlips & ExpertTies>({
  name: 'alfworld',
  description: 'Household tasks in text: find, clean, heat, cool and place things, as in ALFWorld.',
  ...playedHereOrServed<AlfworldOptions>('alfworld', alfworldSchema, {
    limit: 'stepLimit',
    make: (options) => new Alfworld(options),
    readWith: { taskTypes: { ...embeddedOnly, games: [null] } },
  }),
  resetSchema: resetSchemaWith({
    game: {
      description: 'Number of the game in the folder; without a folder, the seed of the household.',
      type: 'integer',
    },
  } as Record<string, { description: string }>),
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
  // The return of an episode is 1 if the goal is reached, else 0. Early in training few episodes reach it.
  critic: { typicalReturn: () => 0.2 },
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
