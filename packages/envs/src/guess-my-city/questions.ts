// Lists the questions among which the scripted player of Guess My City chooses, with the oracle's answer for each city.
import type { City } from './city-table.js';
import { countryOf } from './gazetteer.js';
import { CityRulesOracle } from './rules-oracle.js';
import { guarded, namesCity } from './rules.js';

export interface CityQuestion {
  text: string;
  /** [cities] the oracle's answer to the question for each city. */
  answers: readonly string[];
  /** Whether the question is open (not yes/no), so that its answer may determine the city. */
  isOpen: boolean;
  /** The index of the city that the question guesses, with which it wins; null if it is not a guess. */
  wins: number | null;
}

const openQuestions = [
  'What country is your city in?',
  'What continent is your city in?',
  'What language do people speak in your city?',
  'What is the population of your city?',
  'What is the climate like in your city?',
  'What is the predominant religion in your city?',
];

const oracle = new CityRulesOracle();

export function cityQuestions(cities: readonly City[]): CityQuestion[] {
  const questions = [...openQuestions, ...closedQuestions(cities)].map((text, i): CityQuestion => {
    return { text, answers: answersTo(text, cities), isOpen: i < openQuestions.length, wins: null };
  });
  // Questions that have the same answer for all cities are omitted, since they give no information.
  const useful = questions.filter(({ answers }) => new Set(answers).size > 1);
  const guesses = cities.map(({ city, name }, place): CityQuestion => {
    const text = `Is it ${city}?`;
    // A guess wins if it contains the secret city's name. Thus no city's name may be part of another's, which is checked here.
    const wins = cities.findIndex((other) => namesCity(text, other.name));
    if (wins !== place) throw new Error(`guess_my_city: '${name}' cannot be distinguished from '${cities[wins].name}'`);
    return { text, answers: answersTo(text, cities), isOpen: false, wins };
  });
  return [...useful, ...guesses];
}

const answersTo = (text: string, cities: readonly City[]) =>
  cities.map((city) => guarded(oracle.answer(city, text), city.name));

function closedQuestions(cities: readonly City[]): string[] {
  const areas = new Set(cities.flatMap((city) => [countryOf(city).continent, ...countryOf(city).regions]));
  return [
    ...[...areas].map((area) => `Is your city located in ${area}?`),
    ...[...new Set(cities.map(({ country }) => country))].map((country) => `Is your city located in ${country}?`),
    'Is your city the capital of its country?',
    'Is your city located on the coast?',
    'Is your city located on an island?',
    'Does a river flow through your city?',
    ...[1, 3, 5, 10].map((millions) => `Do more than ${millions} million people live in your city?`),
    ...['northern', 'southern', 'eastern', 'western'].map((side) => `Is your city in the ${side} part of its country?`),
  ];
}
