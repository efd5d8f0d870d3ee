import type { Rng } from './rng.js';

/** Yields every item once, in shuffled order, `size` at a time; the last batch may be smaller. */
export function* minibatches<T>(items: readonly T[], size: number, rng: Rng): Generator<T[]> {
  const shuffled = rng.shuffle(items);
  for (let start = 0; start < shuffled.length; start += size) yield shuffled.slice(start, start + size);
}
