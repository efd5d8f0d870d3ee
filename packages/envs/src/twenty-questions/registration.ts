import { chosenOracle, oracleProperties, type OracleOptions } from '../oracle.js';
import { resetSchemaWith, type Registration } from '../registration.js';
import { RulesOracle } from './rules-oracle.js';
import { TwentyQuestions, twentyQuestionsSchema, type TwentyQuestionsOptions } from './twenty-questions.js';
import type { Word } from './words.js';

export const twentyQuestionsRegistration: Registration<TwentyQuestionsOptions & OracleOptions> = {
  description: 'Guess which of 157 objects (or ten of them) the oracle thinks of, in 20 yes/no questions.',
  schema: { ...twentyQuestionsSchema, properties: { ...twentyQuestionsSchema.properties, ...oracleProperties } },
  resetSchema: resetSchemaWith(),
  make: (options, parts) => {
    const given = chosenOracle('twenty_questions', options, parts);
    const byName = given && {
      id: given.id,
      answer: (word: Word, question: string) => given.answer(word.name, question),
    };
    return new TwentyQuestions(options, byName ?? new RulesOracle());
  },
  sampleActions: ['is it an animal?', 'is it a dog?', 'is it a piano?', 'is it made of metal?', 'hello', ''],
};
