import { servedOffer } from '../context/context-options.js';
import {
  agentGymNames,
  backendOptionNames,
  backendReadWith,
  embeddedOnly,
  missingAddress,
  servedGame,
} from '../agentgym/backend.js';
import { instructionsOf } from '../agentgym/instructions.js';
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
import { resetSchemaWith } from '../unit.js';
import { BabyAi, babyAiSchema, texts, type BabyAiOptions } from './babyai.js';
import { babyAiDemonstrations } from './demonstrations.js';

export const babyAiUnit = defineEnvironment<BabyAiOptions, ExpertSlips & ExpertStrays>({
  name: 'babyai',
  description: "A grid of rooms in text: go to, pick up, open, put next to, as BabyAI's missions say.",
  rules: ({ actionFormat }) => instructionsOf('babyai', actionFormat, null),
  schema: babyAiSchema,
  resetSchema: resetSchemaWith(),
  make: (options) => {
    if (options.backend === 'agentgym') return servedGame('babyai', options, options.stepLimit);
    const game = new BabyAi(options);
    return options.actionFormat === 'react' ? new ReactReplies(game, wordsRule) : game;
  },
  hasExpert: ({ backend }) => backend === 'embedded',
  splits: ({ backend, testItems }) => (backend === 'agentgym' ? servedSplits('babyai', { testItems }) : seedSplits()),
  evaluation: { taskType: ({ level }) => (level as string | undefined) ?? null },
  context: ({ backend, actionFormat }) => {
    if (backend === 'agentgym') return servedOffer;
    // A reply in the ReAct format is not one of the listed actions.
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
  // Episodes return 0 to 1; random play on the easiest levels returns 0.3 to 0.7.
  critic: { typicalReturn: () => 0.3 },
  config: {
    flatNames: agentGymNames,
    // Every backend reads the format of replies.
    readWith: { ...backendReadWith, actionFormat: {}, levels: embeddedOnly, listActions: embeddedOnly },
    problems: (options) => missingAddress('babyai', options),
  },
  demonstrations: {
    schema: { ...expertSlipsSchema, properties: { ...expertSlipsSchema.properties, ...expertStraysSchema.properties } },
    make: async (options, request) =>
      playedSet(await babyAiDemonstrations(options, playedOptions({ ...request, noise: 0 }))),
    problem: ({ backend }) =>
      backend === 'agentgym'
        ? 'babyai with backend=agentgym has no demonstrations: its worlds are on the server'
        : null,
    independentOf: backendOptionNames.filter((name) => name !== 'actionFormat'),
    revision: 5, // raised when left turns became a look in all directions
  },
});
