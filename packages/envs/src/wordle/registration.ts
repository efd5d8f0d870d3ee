import { resetSchemaWith, type Registration } from '../registration.js';
import { Wordle, wordleSchema, type WordleOptions } from './wordle.js';

export const wordleRegistration: Registration<WordleOptions> = {
  description: 'Find the hidden five-letter word in six guesses (LMRL-Gym).',
  schema: wordleSchema,
  resetSchema: resetSchemaWith(),
  make: (options) => new Wordle(options),
  sampleActions: ['r o b o t', 'o t h e r', 'ultra', 'p a u s e', 'stare', 'ROBOT', ''],
};
