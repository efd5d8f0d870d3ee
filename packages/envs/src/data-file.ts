// Reads the content of games: JSON files beside their code, each with a schema of its own. They are read from `src`, which the
// package ships.
import { readFileSync } from 'node:fs';

/** Returns a value that is made when it is first asked for. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * Returns a value that is made of a data file, which is read when it is first asked for: a program that lists the environments reads none.
 *
 * @param path below `src`
 */
export const fromDataFile = <Data, Value>(path: string, make: (data: Data) => Value): (() => Value) =>
  lazy(() => make(JSON.parse(readFileSync(new URL(`../src/${path}`, import.meta.url), 'utf8')) as Data));
