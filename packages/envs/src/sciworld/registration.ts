import { agentGymEnv } from '../agentgym/options.js';
import { resetSchemaWith, type Registration } from '../registration.js';
import { sciWorldSchema, type SciWorldOptions } from './options.js';
import { ScienceWorld } from './scienceworld.js';

const dataIdx = { description: 'agentgym: number of the problem, instead of one drawn by the seed.', type: 'integer' };
const task = { description: 'java: name of the task, instead of one drawn by the seed.', type: 'string' };
const variation = { description: "java: number of the task's variation.", type: 'integer', minimum: 0 };

export const sciWorldRegistration: Registration<SciWorldOptions> = {
  description: "ScienceWorld's experiments, on AgentGym's server or in the simulator itself.",
  schema: sciWorldSchema,
  resetSchema: resetSchemaWith({ dataIdx, task, variation }),
  make: ({ backend, jar, tasks, fold, simplifications, validActions, ...served }) =>
    backend === 'java'
      ? new ScienceWorld({ jar, tasks, fold, simplifications, validActions, ...served })
      : agentGymEnv('sciworld', served),
  sampleActions: ['look around', 'Thought:\nI look.\n\nAction:\nlook around', 'Action: inventory', 'open door', ''],
};
