// Chooses the object or city that a guessing game is about.
import type { Rng } from '@bowyer/core';

/** Returns the secret of an episode, one of `count`: always `envIdx`; or the one of this seed, modulo their count; or one drawn. */
export function chooseSecret(
  { envIdx, choice, count }: { envIdx: number | null; choice: 'uniform' | 'bySeed'; count: number },
  seed: number | undefined,
  rng: Rng,
): number {
  if (envIdx !== null) return envIdx;
  if (choice === 'bySeed' && seed !== undefined) return ((seed % count) + count) % count;
  return rng.integer(0, count - 1);
}
