// Adapts a factor of the learning rate to the KL of the last update.
/** A rate that is too high can be reduced by two orders of magnitude; one that is too low is increased a little. */
const [SMALLEST, LARGEST] = [1 / 128, 4];
/** Bounds of the ratio of the factor after an update to the factor before it. */
const [FASTEST_FALL, FASTEST_RISE] = [1 / 4, 1.2];

/**
 * Returns the factor of the learning rate after an update with KL `kl` (nats per episode), where the KL should be `target`:
 *
 *     s ← s · √(target / kl)        within a quarter of s and 1.2 s, and within 1/128 and 4
 *
 * The KL of a small step grows with its square, hence the root.
 */
export function adaptedScale(scale: number, kl: number, target: number): number {
  const factor = Math.min(Math.max(Math.sqrt(target / Math.max(kl, 1e-12)), FASTEST_FALL), FASTEST_RISE);
  return Math.min(Math.max(scale * factor, SMALLEST), LARGEST);
}
