import { fromDataFile } from '../data-file.js';

export interface City {
  /** City and country as ArCHer's list writes them: "Bombay, India". */
  name: string;
  city: string;
  country: string;
  isCapital: boolean;
  /** The number of inhabitants in millions. */
  population: number;
  sea: string | null;
  /** The name of the river at which the city lies; '=' if it is the city's own name. */
  river: string | null;
  climate: string;
  /** The part of the country in which the city lies: a direction, or the name of an island. */
  part: string;
  landmarks: string;
  knownFor: string;
}

/** The cities with the facts that the oracle's answers use: ArCHer's 91 cities, then nine that LMRL-Gym adds. */
export const allCities = fromDataFile('guess-my-city/cities.json', ({ cities }: { cities: Omit<City, 'name'>[] }) =>
  cities.map((row): City => ({ name: `${row.city}, ${row.country}`, ...row })),
);
