import type { Rng } from '@bowyer/core';

/** Returns the index of an episode's secret: `envIdx` if it is given, the seed modulo `count`, or a random one. */
export function chooseSecret(
  { envIdx, choice, count }: { envIdx: number | null; choice: 'uniform' | 'bySeed'; count: number },
  seed: number | undefined,
  rng: Rng,
): number {
  if (envIdx !== null) return envIdx;
  if (choice === 'bySeed' && seed !== undefined) return ((seed % count) + count) % count;
  return rng.integer(0, count - 1);
}
