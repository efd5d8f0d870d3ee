import { backendProperties, servedGame, type BackendOptions } from '../agentgym/backend.js';
import { resetSchemaWith, type Registration } from '../registration.js';
import { textCraftSchema, type TextCraftOptions } from './options.js';
import { TextCraft } from './textcraft.js';

const dataIdx = { description: "The goal, counted as AgentGym's data_idx.", type: 'integer' } as const;

export const textCraftRegistration: Registration<TextCraftOptions & BackendOptions> = {
  description: 'Craft an item of Minecraft by listed recipes from things that can be fetched (AgentGym).',
  schema: { ...textCraftSchema, properties: { ...textCraftSchema.properties, ...backendProperties } },
  resetSchema: resetSchemaWith({ dataIdx }),
  make: (options) =>
    options.backend === 'agentgym' ? servedGame('textcraft', options, options.stepLimit) : new TextCraft(options),
  sampleActions: [
    'inventory',
    'get 2 stick',
    'get 8 glass',
    'get 1 bone',
    'craft 3 bone meal using 1 bone',
    'dance',
    '',
  ],
};
