import { UnknownNameError } from '../contract/unknown-name-error.js';
import { allCities, type City } from './city-table.js';

/** The number of cities in ArCHer's list; they are the first cities of ours. */
const ARCHER_COUNT = 91;

const subset10 = ['Tokyo', 'Moscow', 'Cairo', 'London', 'Lima', 'Sydney', 'Paris', 'Istanbul', 'Toronto', 'Bangkok'];

/** Returns ArCHer's 91 cities, all 100, a subset of ten, or the named ones. @throws {UnknownNameError} */
export function selectCities(cities: 'archer91' | 'all100' | 'subset10' | readonly string[]): readonly City[] {
  if (cities === 'all100') return allCities();
  if (cities === 'archer91') return allCities().slice(0, ARCHER_COUNT);
  const names = cities === 'subset10' ? subset10 : cities;
  return names.map((name) => {
    const found = allCities().find((known) =>
      [known.name, known.city].some((own) => own.toLowerCase() === name.toLowerCase()),
    );
    if (found === undefined)
      throw new UnknownNameError(
        'city',
        name,
        allCities().map(({ city }) => city),
      );
    return found;
  });
}
