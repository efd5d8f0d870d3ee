// Answers the agent's questions about the secret city by rules, from this project's tables of cities and countries: by yes or no,
// or by a short sentence.
import type { Oracle } from '../oracle.js';
import { allCities, type City } from './city-table.js';
import { cityNames, countryOf, findPlaces, inDirection, plainText } from './gazetteer.js';
import { cannotAnswer } from './rules.js';

export const doesNotKnow = "I don't know.";

interface Asked {
  text: string;
  isClosed: boolean;
}

/** A function that answers questions about one topic, such as rivers; it returns undefined if it cannot answer this question. */
type Answerer = (city: City, asked: Asked) => string | undefined;

const yesNo = (truth: boolean) => (truth ? 'Yes.' : 'No.');

/** The topics of questions, each with a pattern. The first topic that matches and gives an answer is used. */
const topics: readonly [about: RegExp, answer: Answerer][] = [
  [/^(is|are|do|does|was|did|would|could|so|have)\b/, guessOfCity],
  [
    /\b(name of (your|the|this) (city|town|hometown)|(what|which) (city|town)|where are you from|your city s name)\b/,
    () => cannotAnswer,
  ],
  [/\bcapital\b/, capital],
  [/\b(border|borders|bordering|neighbou?r|neighbou?rs|neighbou?ring)\b/, neighbours],
  [/\bpopulation|inhabitants|how (many people|big|large)|people live|million|megacity\b/, population],
  [/\b(language|languages|speak|spoken|speaking)\b/, language],
  [/\b(currency|money)\b/, (city, asked) => stated(asked, countryOf(city).currency, 'The currency is')],
  [/\b(religion|religious|faith)\b/, (city, asked) => stated(asked, countryOf(city).religion, 'The main religion is')],
  [/\b(cuisine|food|foods|dish|dishes|eat)\b/, cuisine],
  [/\b(climate|weather|temperature|temperatures|rain|snow|winter|winters|summer|summers)\b/, climate],
  [/\b(river|rivers|nile|thames|seine|danube|ganges|yangtze)\b/, river],
  [/\b(coast|coastal|coastline|sea|ocean|port|harbou?r|beach|beaches|inland|landlocked|seaside|waterfront)\b/, coast],
  [/\bisland\b/, island],
  [/\b(what|which) (country|nation)\b/, ({ country }) => `My city is in ${country}.`],
  [/\b(what|which) continent\b/, (city) => `My city is in ${countryOf(city).continent}.`],
  [
    /\b(known|famous|popular|unique|special|landmark|landmarks|attraction|attractions|monument|monuments|sights)\b/,
    fame,
  ],
  [/^(where|what is the (geographical )?location)\b/, whereabouts],
  [/^(is|are|do|does)\b/, location],
];

export class CityRulesOracle implements Oracle<City> {
  readonly id = 'city-rules-1';

  answer(city: City, question: string): string {
    // In "Based on …, my next question is: is it …?" only the text after the last colon is the question.
    const text = plainText(question.slice(question.lastIndexOf(':') + 1)).replace(/\b(hometown|home town)\b/g, 'city');
    const asked = { text, isClosed: /^(is|are|do|does|was|did|can people|has|have)\b/.test(text) };
    for (const [about, answer] of topics) {
      const said = about.test(text) ? answer(city, asked) : undefined;
      if (said !== undefined) return said;
    }
    return doesNotKnow;
  }
}

/** Answers guesses such as "is your city beijing" and "are you from beijing china"; undefined if the question is not a guess. */
function guessOfCity(city: City, { text }: Asked): string | undefined {
  const match =
    /^(?:is|are|do|was|so is|so)(?: it| this| that| you| the| your| city| name| of| are| from| live| in| called| then| town| by any chance| hometown)* (?<place>.+)$/.exec(
      text,
    );
  const words = match?.groups!.place.split(' ') ?? [];
  for (let length = Math.min(4, words.length); length > 0; length--) {
    const named = cityNames().get(words.slice(0, length).join(' '));
    const after = words.slice(length).join(' ');
    // After the city's name, the guess may contain only the names of places, such as the country.
    if (named !== undefined && findPlaces(after).rest.trim().replaceAll('_', '').trim() === '') {
      // Singapore is both a city and a country; as a guess, the name means the city.
      return yesNo(named === city.city);
    }
  }
  return undefined;
}

function capital(city: City, { text, isClosed }: Asked): string | undefined {
  if (!isClosed) return undefined;
  const named = findPlaces(text).places.filter(({ kind }) => kind === 'country');
  return yesNo(city.isCapital && named.every(({ holds }) => holds(city)));
}

function neighbours(city: City, { text, isClosed }: Asked): string | undefined {
  const own = countryOf(city).neighbours;
  if (isClosed) {
    const named = own.filter((name) => text.includes(plainText(name)));
    const { places } = findPlaces(text);
    if (places.length > 0 || named.length > 0) return yesNo(named.length > 0);
    return undefined;
  }
  return own.length === 0 ? 'My country has no neighbours on land.' : `My country borders ${own.join(', ')}.`;
}

function population({ population: millions }: City, { text, isClosed }: Asked): string {
  const number = /(\d+(?:\.\d+)?)( million)?/.exec(text);
  if (isClosed && number !== null) {
    const asked = Number(number[1]) / (number[2] === undefined && Number(number[1]) > 1000 ? 1e6 : 1);
    if (/\b(more|over|above|larger|bigger|greater|exceed|exceeds|least)\b/.test(text)) return yesNo(millions > asked);
    if (/\b(less|fewer|under|below|smaller)\b/.test(text)) return yesNo(millions < asked);
    return yesNo(Math.abs(millions - asked) <= 0.15 * asked);
  }
  return `About ${millions} million people live in my city.`;
}

/** Answers an open question by a sentence, and a yes/no question by whether it contains a word of the fact. */
function stated({ text, isClosed }: Asked, fact: string, opening: string): string {
  if (!isClosed) return `${opening} ${fact}.`;
  return yesNo(contentWords(fact).some((word) => text.includes(word)));
}

function language(city: City, asked: Asked): string {
  return stated(asked, countryOf(city).language, 'People speak');
}

function cuisine(city: City, asked: Asked): string {
  return stated(asked, countryOf(city).dishes, 'Traditional dishes are');
}

function climate(city: City, asked: Asked): string | undefined {
  return stated(asked, city.climate, 'The climate is');
}

function river({ river: own }: City, { text, isClosed }: Asked): string {
  if (!isClosed) {
    if (own === null) return 'No large river flows through my city.';
    return own === '=' ? 'The river has the name of my city.' : `The river ${own} flows through my city.`;
  }
  const named = allCities().find(
    ({ river }) => river !== null && river !== '=' && text.includes(` ${plainText(river)}`),
  );
  return yesNo(named === undefined ? own !== null : own === named.river);
}

function coast({ sea }: City, { text, isClosed }: Asked): string | undefined {
  if (!isClosed || /\bor\b/.test(text)) return sea === null ? 'My city is inland.' : `My city lies by ${sea}.`;
  if (/\b(inland|landlocked)\b/.test(text)) return yesNo(sea === null);
  const named = [
    'mediterranean',
    'pacific',
    'atlantic',
    'java sea',
    'baltic',
    'arabian',
    'aegean',
    'yellow sea',
    'black sea',
    'indian ocean',
    'bengal',
  ].find((name) => text.includes(name));
  if (named !== undefined) return yesNo(sea !== null && plainText(sea).includes(named));
  // A question such as "on the northern coast of Java" also depends on the named place, so that `location` answers it instead.
  if (findPlaces(text).places.length > 0 && sea !== null) return undefined;
  return yesNo(sea !== null);
}

const islandCountries = ['Japan', 'UK', 'Indonesia', 'Singapore', 'Cuba', 'Philippines'];

function island(city: City, asked: Asked): string | undefined {
  if (findPlaces(asked.text).places.length > 0) return location(city, asked);
  return yesNo(islandCountries.includes(city.country) || city.part === 'an island');
}

function fame(city: City, { text, isClosed }: Asked): string {
  const { landmarks, knownFor } = city;
  if (!isClosed) {
    return /landmark|attraction|monument|sights/.test(text)
      ? `Famous landmarks are ${landmarks}.`
      : `My city is known for ${knownFor}.`;
  }
  const facts = contentWords(`${landmarks} ${knownFor} ${countryOf(city).dishes}`);
  return yesNo(contentWords(text).some((word) => facts.includes(word)));
}

function whereabouts(city: City): string {
  const { continent, regions } = countryOf(city);
  return /^[A-Z]|island/.test(city.part)
    ? `My city is in ${regions[0] ?? continent}, on ${city.part}.`
    : `My city is in ${regions[0] ?? continent}, in the ${city.part} of its country.`;
}

/** Answers yes if every named place and direction is true of the city; undefined if the question names none. */
function location(city: City, { text }: Asked): string | undefined {
  const { places, rest } = findPlaces(text);
  const direction = inDirection(rest, city);
  if (places.length === 0 && direction === null) return undefined;
  const inPlaces = places.every(({ holds }) => holds(city));
  if (!inPlaces) return 'No.';
  // The tables contain no states, provinces or districts, so that questions about them cannot be answered here.
  if (/\b(state|province|department|district|region|island|prefecture|county) of (?!_)/.test(rest)) return undefined;
  if (direction === null && /\b(central|part|north|south|east|west|northern|southern|eastern|western)\b/.test(rest))
    return undefined;
  return yesNo(direction ?? true);
}

const fillers = new Set(
  'city your with from that this about known famous popular have there their which what center great like large largest named being having been people other many some most very'.split(
    ' ',
  ),
);

const contentWords = (text: string): string[] =>
  plainText(text)
    .split(' ')
    .filter((word) => word.length > 3 && !fillers.has(word))
    .map((word) => word.replace(/s$/, ''));
