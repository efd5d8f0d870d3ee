import { servedOffer } from '../context/context-options.js';
import {
  agentGymKeys,
  backendOptionNames,
  backendReadWith,
  embeddedOnly,
  missingAddress,
  servedGame,
} from '../agentgym/backend.js';
import {
  expertSlipsSchema,
  expertStraysSchema,
  playedOptions,
  playedSet,
  type ExpertSlips,
  type ExpertStrays,
} from '../played-demonstrations.js';
import { servedSplits } from '../agentgym/splits.js';
import { seedSplits } from '../splits.js';
import { defineEnvironment, resetSchemaWith } from '../unit.js';
import { BabyAi, babyAiSchema, type BabyAiOptions } from './babyai.js';
import { babyAiDemonstrations } from './demonstrations.js';

export const babyAiUnit = defineEnvironment<BabyAiOptions, ExpertSlips & ExpertStrays>({
  name: 'babyai',
  description: "A grid of rooms in text: go to, pick up, open, put next to, as BabyAI's missions say.",
  schema: babyAiSchema,
  resetSchema: resetSchemaWith(),
  make: (options) =>
    options.backend === 'agentgym' ? servedGame('babyai', options, options.stepLimit) : new BabyAi(options),
  hasExpert: ({ backend }) => backend === 'embedded',
  splits: ({ backend, testItems }) => (backend === 'agentgym' ? servedSplits('babyai', { testItems }) : seedSplits()),
  taskType: ({ level }) => (level as string | undefined) ?? null,
  context: ({ backend }) =>
    backend === 'agentgym'
      ? servedOffer
      : { observation: 'turn', kind: 'dialogue', parts: ['taskDescription', 'validActions'] },
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
  // 0…1 an episode; random play on the easiest levels returns 0.3 to 0.7.
  typicalReturn: () => 0.3,
  keys: agentGymKeys,
  readWith: { ...backendReadWith, levels: embeddedOnly, listActions: embeddedOnly },
  problems: (options) => missingAddress('babyai', options),
  demonstrations: {
    schema: { ...expertSlipsSchema, properties: { ...expertSlipsSchema.properties, ...expertStraysSchema.properties } },
    make: async (options, request) =>
      playedSet(await babyAiDemonstrations(options, playedOptions({ ...request, noise: 0 }))),
    problem: ({ backend }) =>
      backend === 'agentgym'
        ? 'babyai with backend=agentgym has no demonstrations: its worlds are on the server'
        : null,
    independentOf: backendOptionNames,
    revision: 4, // since its worlds are those of another stream of seeds
  },
});
