import { agentGymEnv } from '../agentgym/options.js';
import { resetSchemaWith, type Registration } from '../registration.js';
import { BabyAi, babyAiSchema, type BabyAiOptions } from './babyai.js';

export const babyAiRegistration: Registration<BabyAiOptions> = {
  description: "A grid of rooms in text: go to, pick up, open, put next to, as BabyAI's missions say.",
  schema: babyAiSchema,
  resetSchema: resetSchemaWith(),
  make: (options) => (options.backend === 'agentgym' ? served(options) : new BabyAi(options)),
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
};

const served = ({ baseUrl, actionFormat, timeoutMs, stepLimit }: BabyAiOptions) =>
  agentGymEnv('babyai', {
    ...{ baseUrl, actionFormat, timeoutMs },
    instructions: actionFormat !== 'plain',
    maxRounds: stepLimit,
  });
