import { servedOffer } from '../context/context-options.js';
import { missingAddress } from '../agentgym/backend.js';
import { instructionsOf } from '../agentgym/instructions.js';
import { agentGymEnv } from '../agentgym/agentgym-env.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith, type Condition } from '../unit.js';
import { sciWorldSchema, type SciWorldOptions } from './options.js';
import { sciWorldSplits } from './splits.js';
import { ScienceWorld } from './scienceworld.js';

const dataIdx = { description: 'agentgym: number of the problem, instead of one drawn by the seed.', type: 'integer' };
const task = { description: 'java: name of the task, instead of one drawn by the seed.', type: 'string' };
const variation = { description: "java: number of the task's variation.", type: 'integer', minimum: 0 };

const fold = {
  description: 'java: fold of the variation (train, dev or test), instead of that of the options.',
  type: 'string',
};

const served: Condition = { backend: ['agentgym'] };
const simulated: Condition = { backend: ['java'] };

export const sciWorldUnit = defineEnvironment<SciWorldOptions>({
  name: 'sciworld',
  description: "ScienceWorld's experiments, on AgentGym's server or in the simulator itself.",
  rules: ({ actionFormat }) => instructionsOf('sciworld', actionFormat, null),
  schema: sciWorldSchema,
  resetSchema: resetSchemaWith({ dataIdx, task, variation, fold }),
  make: ({ backend, jar, tasks, fold, simplifications, validActions, ...agentGym }) =>
    backend === 'java'
      ? new ScienceWorld({ jar, tasks, fold, simplifications, validActions, ...agentGym })
      : agentGymEnv('sciworld', agentGym),
  splits: sciWorldSplits,
  evaluation: { taskType: ({ task }) => (task as string | undefined) ?? null },
  context: ({ backend, validActions }) => {
    if (backend === 'agentgym') return servedOffer;
    const parts = ['taskDescription', ...(validActions ? (['validActions'] as const) : [])] as const;
    return { observation: 'turn', kind: 'dialogue', parts };
  },
  sampleActions: ['look around', 'Thought:\nI look.\n\nAction:\nlook around', 'Action: inventory', 'open door', ''],
  // Scores are 0 to 100. A weak policy gets only the points for first steps, so that 10 is the critic's initial estimate.
  critic: { typicalReturn: () => 10 },
  config: {
    flatNames: { env_server_base: 'baseUrl' },
    readWith: {
      actionFormat: served,
      instructions: served,
      dataset: served,
      firstItem: served,
      items: served,
      testItems: served,
      connections: served,
      upstreamEndCut: served,
      jar: simulated,
      tasks: simulated,
      fold: simulated,
      simplifications: simulated,
      validActions: simulated,
    },
    problems: (options) => missingAddress('sciworld', options),
  },
});
