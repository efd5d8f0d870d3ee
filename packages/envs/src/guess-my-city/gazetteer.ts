// Finds the places (cities, countries, regions) that a question names, and decides whether a city lies in a place.
import { lazy } from '../data-file.js';
import { type City, allCities } from './city-table.js';
import { countries, type Country } from './country-table.js';

export const countryOf = ({ country }: City): Country => countries().get(country)!;

/** Other names of countries and cities, as `plainText` writes them. */
const countryAliases: Record<string, readonly string[]> = {
  USA: ['united states of america', 'united states', 'america', 'us', 'usa'],
  UK: ['united kingdom', 'england', 'great britain', 'britain', 'uk'],
  Ethopia: ['ethiopia'],
  Congo: ['democratic republic of the congo', 'democratic republic of congo', 'congo'],
  'Ivory Coast': ['cote d ivoire', 'ivory coast'],
  Turkey: ['turkiye', 'turkey'],
  Myanmar: ['burma', 'myanmar'],
};

const cityAliases: Record<string, readonly string[]> = {
  Bombay: ['mumbai'],
  Calcutta: ['kolkata'],
  Madras: ['chennai'],
  Bangalore: ['bengaluru'],
  Pusan: ['busan'],
  Taega: ['daegu', 'taegu'],
  Inchon: ['incheon'],
  Haerbin: ['harbin'],
  'Pyong Yang': ['pyongyang'],
  Kinshaha: ['kinshasa'],
  Bucuresti: ['bucharest'],
  Havanna: ['havana'],
  Kiev: ['kyiv'],
  Xian: ['xi an'],
  Delhi: ['new delhi'],
  Giza: ['gizeh'],
  'New York': ['new york city'],
  'St Petersburg': ['saint petersburg'],
};

/** Normalises a text for comparisons: lower case, no accents or punctuation, single spaces. */
export const plainText = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, ' ')
    .replace(/\.(?!\d)/g, ' ')
    .replace(/ +/g, ' ')
    .trim();

/** Maps each normalised spelling of a city's name to the name of the city. */
export const cityNames = lazy(
  (): ReadonlyMap<string, string> =>
    new Map(
      allCities().flatMap(({ city }) => [city, ...(cityAliases[city] ?? [])].map((name) => [plainText(name), city])),
    ),
);

interface Place {
  name: string;
  kind: 'country' | 'area';
  holds: (city: City) => boolean;
}

const directions = ['north', 'south', 'east', 'west'];

/** All known places, the longest name first, so that the "south" in "south korea" is not taken for a direction. */
const places = lazy((): readonly Place[] =>
  [
    ...[...countries().values()].flatMap(({ name }) =>
      [plainText(name), ...(countryAliases[name] ?? [])].map((alias): Place => {
        return { name: alias, kind: 'country', holds: ({ country }) => country === name };
      }),
    ),
    ...areas(),
  ].sort((a, b) => b.name.length - a.name.length),
);

function areas(): Place[] {
  const names = new Set([...countries().values()].flatMap(({ continent, regions }) => [continent, ...regions]));
  const parts = new Set(
    allCities()
      .map(({ part }) => part)
      .filter((part) => /^[A-Z]/.test(part)),
  );
  const inRegion = (region: string) => (city: City) => {
    const { continent, regions } = countryOf(city);
    return continent === region || regions.includes(region);
  };
  return [
    ...[...names].flatMap((region) => spellings(plainText(region).replace(/^the /, ''), inRegion(region))),
    ...[...parts].map((island): Place => {
      return { name: plainText(island), kind: 'area', holds: ({ part }) => part === island };
    }),
    ...spellings('americas', (city) => countryOf(city).continent.endsWith('America')),
  ];
}

/** Returns a place under each spelling of its name, such as "east asia" and "eastern asia". */
function spellings(name: string, holds: Place['holds']): Place[] {
  const longer = name.replace(/^(north|south|east|west|southeast)(ern)? /, '$1ern ');
  const shorter = name.replace(/^(north|south|east|west|southeast)ern /, '$1 ');
  return [...new Set([name, longer, shorter])].map((spelling) => ({ name: spelling, kind: 'area', holds }));
}

/** Returns the places that a text names, and the rest of the text, in which `_` replaces each of them. */
export function findPlaces(text: string): { places: Place[]; rest: string } {
  const found: Place[] = [];
  let rest = ` ${text} `;
  for (const place of places()) {
    const spot = rest.indexOf(` ${place.name} `);
    if (spot < 0) continue;
    found.push(place);
    rest = `${rest.slice(0, spot)} _ ${rest.slice(spot + place.name.length + 1)}`;
  }
  return { places: found, rest };
}

/** Decides whether a direction such as "northern part" is true for the city within its country; null if the text names none. */
export function inDirection(rest: string, { part }: City): boolean | null {
  const match = /\b(north|south)?(?:ern)? ?(east|west)?(?:ern)? (?:part|region|coast|side|area|half|of)\b/.exec(rest);
  const asked = `${match?.[1] ?? ''}${match?.[2] ?? ''}`;
  if (asked === '')
    return /\b(central|center|centre|middle) (?:part|region|of)\b/.test(rest) ? part === 'center' : null;
  if (!directions.some((direction) => part.includes(direction))) return part === 'center' ? false : null;
  return part.includes(asked);
}
