import type { Rng } from '@bowyer/core';

/** Returns the index of the secret for an episode: `envIdx` if it is not null, the seed modulo `count`, or a random index. */
export function chooseSecret(
  { envIdx, choice, count }: { envIdx: number | null; choice: 'uniform' | 'bySeed'; count: number },
  seed: number | undefined,
  rng: Rng,
): number {
  if (envIdx !== null) return envIdx;
  if (choice === 'bySeed' && seed !== undefined) return ((seed % count) + count) % count;
  return rng.integer(0, count - 1);
}
