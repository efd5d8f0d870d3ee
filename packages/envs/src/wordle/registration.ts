import { backendProperties, servedGame, type BackendOptions } from '../agentgym/backend.js';
import { resetSchemaWith, type Registration } from '../registration.js';
import { Wordle, wordleSchema, type WordleOptions } from './wordle.js';

export const wordleRegistration: Registration<WordleOptions & BackendOptions> = {
  description: 'Find the hidden five-letter word in six guesses (LMRL-Gym).',
  schema: { ...wordleSchema, properties: { ...wordleSchema.properties, ...backendProperties } },
  resetSchema: resetSchemaWith(),
  make: (options) =>
    options.backend === 'agentgym' ? servedGame('wordle', options, options.maxGuesses) : new Wordle(options),
  sampleActions: ['r o b o t', 'o t h e r', 'ultra', 'p a u s e', 'stare', 'ROBOT', ''],
};
