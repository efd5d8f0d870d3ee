import { servedOffer } from '../context/context-options.js';
import { backendOptionNames, playedHereOrServed } from '../agentgym/backend.js';
import {
  expertSlipsSchema,
  expertStraysSchema,
  playedOptions,
  playedSet,
  type ExpertSlips,
  type ExpertStrays,
} from '../played-demonstrations.js';
import { ReactReplies } from '../agentgym/react-replies.js';
import { wordsRule } from '../agentgym/reply-rules.js';
import { servedSplits } from '../agentgym/splits.js';
import { seedSplits } from '../splits.js';
import { defineEnvironment } from '../define-environment.js';
import { BabyAi, babyAiSchema, texts, type BabyAiOptions } from './babyai.js';
import { babyAiDemonstrations } from './demonstrations.js';

export const babyAiUnit = defineEnvironment<BabyAiOptions, ExpertSlips & ExpertStrays>({
  name: 'babyai',
  description: "A grid of rooms in text: go to, pick up, open, put next to, as BabyAI's missions say.",
  ...playedHereOrServed<BabyAiOptions>('babyai', babyAiSchema, {
    limit: 'stepLimit',
    make: (options) => {
      const game = new BabyAi(options);
      return options.actionFormat === 'react' ? new ReactReplies(game, wordsRule) : game;
    },
    readWith: { actionFormat: {} }, // every backend reads this option
  }),
  hasExpert: ({ backend }) => backend === 'embedded',
  splits: ({ backend, testItems }) => (backend === 'agentgym' ? servedSplits('babyai', { testItems }) : seedSplits()),
  evaluation: { taskType: ({ level }) => (level as string | undefined) ?? null },
  context: ({ backend, actionFormat }) => {
    if (backend === 'agentgym') return servedOffer;
    // In the ReAct format the agent must write `Thought: … Action: …`, not one of the valid actions alone.
    const listed = actionFormat === 'react' ? [] : (['validActions'] as const);
    return { observation: 'turn', kind: 'dialogue', parts: ['taskDescription', ...listed] };
  },
  sampleActions: [
    'turn left',
    'turn right',
    'move forward',
    'go to red ball 1',
    'pickup grey key 1',
    'drop',
    'check',
    '',
  ],
  tokens: { vocabulary: ({ backend }) => (backend === 'embedded' ? texts() : []) },
  // The return of an episode is from 0 to 1. A random policy has a mean of 0.3 to 0.7 on the easiest levels.
  critic: { typicalReturn: () => 0.3 },
  demonstrations: {
    schema: { ...expertSlipsSchema, properties: { ...expertSlipsSchema.properties, ...expertStraysSchema.properties } },
    make: async (options, request) =>
      playedSet(await babyAiDemonstrations(options, playedOptions({ ...request, noise: 0 }))),
    problem: ({ backend }) =>
      backend === 'agentgym'
        ? 'babyai with backend=agentgym has no demonstrations: its worlds are on the server'
        : null,
    independentOf: backendOptionNames.filter((name) => name !== 'actionFormat'),
    revision: 5, // was raised when the expert began to look in all directions by left turns
  },
});
