import { fromDataFile } from '../data-file.js';

export interface Country {
  name: string;
  continent: string;
  /** The regions of the world to which the country belongs, besides its continent. */
  regions: readonly string[];
  language: string;
  currency: string;
  religion: string;
  neighbours: readonly string[];
  dishes: string;
}

/** The countries of the cities with the facts that the oracle's answers use, by name. */
export const countries = fromDataFile(
  'guess-my-city/countries.json',
  (file: { countries: Country[] }): ReadonlyMap<string, Country> =>
    new Map(file.countries.map((country) => [country.name, country])),
);
