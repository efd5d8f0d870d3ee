import { agentGymEnv } from '../agentgym/options.js';
import { resetSchemaWith, type Registration } from '../registration.js';
import { Alfworld, alfworldSchema, type AlfworldOptions } from './alfworld.js';

export const alfworldRegistration: Registration<AlfworldOptions> = {
  description: 'Household tasks in text: find, clean, heat, cool and place things, as in ALFWorld.',
  schema: alfworldSchema,
  resetSchema: resetSchemaWith({
    game: {
      description: 'Number of the game in the folder; without a folder, the seed of the household.',
      type: 'integer',
    },
  } as Record<string, { description: string }>),
  make: (options) => (options.backend === 'agentgym' ? served(options) : new Alfworld(options)),
  sampleActions: [
    ...['look', 'inventory', 'help', 'go to drawer 1', 'open drawer 1', 'go to cabinet 1', 'open cabinet 1', ''],
    ...['go to garbagecan 1', 'take pen 1 from drawer 1', 'dance'],
  ],
};

const served = ({ baseUrl, actionFormat, timeoutMs, stepLimit }: AlfworldOptions) =>
  agentGymEnv('alfworld', {
    baseUrl,
    actionFormat,
    timeoutMs,
    instructions: actionFormat !== 'plain',
    maxRounds: stepLimit,
  });
