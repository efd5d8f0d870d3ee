// Algorithms by name. A user's plugin registers its own beside these.
import type { AnyAlgorithm } from './unit.js';

const algorithms = new Map<string, AnyAlgorithm>();

/** @throws if the name or one of the aliases is taken by another algorithm */
export function registerAlgorithm(unit: AnyAlgorithm): void {
  for (const name of [unit.name, ...(unit.aliases ?? [])]) {
    const other = algorithms.get(name);
    if (other !== undefined && other !== unit) throw new Error(`the algorithm '${name}' is registered already`);
    algorithms.set(name, unit);
  }
}

/** Of all algorithms, without their aliases. */
export const algorithmNames = (): string[] => [...new Set([...algorithms.values()].map(({ name }) => name))];

/** @returns undefined where no algorithm has this name or alias */
export const findAlgorithm = (name: string): AnyAlgorithm | undefined => algorithms.get(name);
