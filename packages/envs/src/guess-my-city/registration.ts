import { chosenOracle, oracleProperties, type OracleOptions } from '../oracle.js';
import { resetSchemaWith, type Registration } from '../registration.js';
import type { City } from './city-table.js';
import { GuessMyCity } from './guess-my-city.js';
import { guessMyCitySchema, type GuessMyCityOptions } from './options.js';

export const guessMyCityRegistration: Registration<GuessMyCityOptions & OracleOptions> = {
  description: 'Find out in 20 questions of any kind which of 91 cities the oracle comes from.',
  schema: { ...guessMyCitySchema, properties: { ...guessMyCitySchema.properties, ...oracleProperties } },
  resetSchema: resetSchemaWith(),
  make: (options, parts) => {
    const given = chosenOracle('guess_my_city', options, parts);
    const byName = given && {
      id: given.id,
      answer: (city: City, question: string) => given.answer(city.name, question),
    };
    return new GuessMyCity(options, byName);
  },
  sampleActions: [
    'Is your city located in Asia?',
    'What country is your city in?',
    'Is it Tokyo?',
    'is it Lima',
    'hello',
    '',
  ],
};
