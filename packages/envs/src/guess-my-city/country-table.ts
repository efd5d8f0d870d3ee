// The facts about countries that questions are about.
import { fromDataFile } from '../data-file.js';

export interface Country {
  name: string;
  continent: string;
  /** Parts of the world that it belongs to, besides the continent. */
  regions: readonly string[];
  language: string;
  currency: string;
  religion: string;
  neighbours: readonly string[];
  dishes: string;
}

/** The countries by name. */
export const countries = fromDataFile(
  'guess-my-city/countries.json',
  (file: { countries: Country[] }): ReadonlyMap<string, Country> =>
    new Map(file.countries.map((country) => [country.name, country])),
);
