import { resetSchemaWith, type Registration } from '../registration.js';
import { TwentyQuestions, twentyQuestionsSchema, type TwentyQuestionsOptions } from './twenty-questions.js';

export const twentyQuestionsRegistration: Registration<TwentyQuestionsOptions> = {
  description: 'Guess which of 157 objects (or ten of them) the oracle thinks of, in 20 yes/no questions.',
  schema: twentyQuestionsSchema,
  resetSchema: resetSchemaWith(),
  make: (options) => new TwentyQuestions(options),
  sampleActions: ['is it an animal?', 'is it a dog?', 'is it a piano?', 'is it made of metal?', 'hello', ''],
};
