// Reads the content of games from JSON files in the folders of their code in `src`, which the package ships. Each file has a
// schema.
import { readFileSync } from 'node:fs';

/** Returns a function that computes the value at its first call. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * Returns a function that makes a value of a data file, which is read at the first call: listing the environments reads no file.
 *
 * @param path relative to `src`
 */
export const fromDataFile = <Data, Value>(path: string, make: (data: Data) => Value): (() => Value) =>
  lazy(() => make(JSON.parse(readFileSync(new URL(`../src/${path}`, import.meta.url), 'utf8')) as Data));
