// Holds the table of algorithms by name, to which plugins add their own.
import * as recipes from './algorithms.js';
import type { AnyAlgorithm } from './run/algorithm-unit.js';

const algorithms = new Map<string, AnyAlgorithm>();

for (const unit of Object.values(recipes)) registerAlgorithm(unit);

/** Registers an algorithm by its names. @throws if the name or one of the aliases belongs to another algorithm */
export function registerAlgorithm(unit: AnyAlgorithm): void {
  const names = [unit.name, ...(unit.aliases ?? [])];
  for (const name of names) {
    const other = algorithms.get(name);
    if (other !== undefined && other !== unit)
      throw new Error(`the algorithm name '${name}' is taken already, by ${other.name}: choose another name or alias`);
  }
  for (const name of names) algorithms.set(name, unit);
}

/** Lists the names of all algorithms, without aliases. */
export const algorithmNames = (): string[] => [...new Set([...algorithms.values()].map(({ name }) => name))];

/** Finds an algorithm by its name or an alias; undefined where there is none. */
export const findAlgorithm = (name: string): AnyAlgorithm | undefined => algorithms.get(name);
