// The cities, and the facts about them that questions are about.
import { fromDataFile } from '../data-file.js';

export interface City {
  /** The name in the form of ArCHer's list: "Bombay, India". */
  name: string;
  /** The part before the comma. */
  city: string;
  country: string;
  isCapital: boolean;
  /** Inhabitants, in millions. */
  population: number;
  sea: string | null;
  /** The river; '=': it has the city's name. */
  river: string | null;
  climate: string;
  /** Part of the country: a direction, or an island's name. */
  part: string;
  landmarks: string;
  knownFor: string;
}

/** ArCHer's 91 and LMRL-Gym's further nine. */
export const allCities = fromDataFile('guess-my-city/cities.json', ({ cities }: { cities: Omit<City, 'name'>[] }) =>
  cities.map((row): City => ({ name: `${row.city}, ${row.country}`, ...row })),
);
