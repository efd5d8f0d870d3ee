const BOUND = 0.2;
/** The gain of the controller, K_β in the paper. */
const GAIN = 0.1;

/**
 * Computes the next coefficient of a KL penalty with a target, by a proportional controller in log β:
 *
 *     e = clip(KL / target − 1, −0.2, 0.2)        β ← β (1 + 0.1 e)
 *
 * Source: Ziegler et al. 2019, arXiv:1909.08593, section 2.2.
 *
 * @param coefficient β
 * @param kl the measured KL, in the unit of `target`
 */
export function adaptedKlCoefficient(coefficient: number, kl: number, target: number): number {
  const error = Math.min(Math.max(kl / target - 1, -BOUND), BOUND);
  return coefficient * (1 + GAIN * error);
}
