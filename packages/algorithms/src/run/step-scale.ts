/** Bounds of the factor: a learning rate that is too high is lowered by up to two orders of magnitude; one that is too low, raised a little. */
const [SMALLEST, LARGEST] = [1 / 128, 4];
/** Largest changes of the factor after one update. */
const [FASTEST_FALL, FASTEST_RISE] = [1 / 4, 1.2];

/**
 * Returns the factor of the learning rate after an update that has changed the policy by `kl`, where it should change it by `target`.
 *
 *     s ← s · √(target / kl)        within a quarter of s and 1.2 s, and within 1/128 and 4
 *
 * The KL of a small step grows with its square, hence the root.
 *
 * @param kl nats per episode, from the policy that sampled to the updated one
 */
export function adaptedScale(scale: number, kl: number, target: number): number {
  const factor = Math.min(Math.max(Math.sqrt(target / Math.max(kl, 1e-12)), FASTEST_FALL), FASTEST_RISE);
  return Math.min(Math.max(scale * factor, SMALLEST), LARGEST);
}
