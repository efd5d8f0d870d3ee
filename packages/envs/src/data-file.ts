// Reads the content of games (words, maps, rules) from JSON files, which are in the folders of the games' code in `src` and which
// the package ships. Each file has a schema.
import { readFileSync } from 'node:fs';

/** Returns a function that computes the value at its first call, and returns the same value at every later call. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * Returns a function that reads a data file only at its first call, so that listing environments reads none. @param path relative
 * to `src`
 */
export const fromDataFile = <Data, Value>(path: string, make: (data: Data) => Value): (() => Value) =>
  lazy(() => make(JSON.parse(readFileSync(new URL(`../src/${path}`, import.meta.url), 'utf8')) as Data));
