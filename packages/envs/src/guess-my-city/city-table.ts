import { fromDataFile } from '../data-file.js';

export interface City {
  /** The name as ArCHer's list has it: "Bombay, India". */
  name: string;
  city: string;
  country: string;
  isCapital: boolean;
  /** Inhabitants in millions. */
  population: number;
  sea: string | null;
  /** The name of the river; '=' if it is the city's name. */
  river: string | null;
  climate: string;
  /** The part of the country: a direction, or the name of an island. */
  part: string;
  landmarks: string;
  knownFor: string;
}

/** ArCHer's 91 cities, then nine that LMRL-Gym adds. */
export const allCities = fromDataFile('guess-my-city/cities.json', ({ cities }: { cities: Omit<City, 'name'>[] }) =>
  cities.map((row): City => ({ name: `${row.city}, ${row.country}`, ...row })),
);
