import { groupBy } from '../group-by.js';
import { mean, standardDeviation } from '../statistics.js';

export interface GroupRelativeOptions {
  /** `mean`: the mean return of the whole group (GRPO, Dr. GRPO). `others`: that of the group's other episodes (RLOO). */
  baseline: 'mean' | 'others';
  /** Advantages are divided by the group's standard deviation plus this, as in GRPO; null: not divided (Dr. GRPO, RLOO). */
  scaleEpsilon: number | null;
  /** Whether the standard deviation divides by n − 1 ('sample', the default) or by n. */
  deviation?: 'sample' | 'population';
}

/**
 * Computes the advantages of episodes relative to the other episodes of the same task:
 *
 *     mean     A_i = R_i − mean(R)                  [ / (std(R) + ε) ]
 *     others   A_i = R_i − mean(R_j, j ≠ i) = n / (n − 1) · (R_i − mean(R))
 *
 * Source: GRPO, Shao et al. 2024, arXiv:2402.03300; Dr. GRPO, Liu et al. 2025, arXiv:2503.20783; RLOO, Ahmadian et al. 2024,
 * arXiv:2402.14740.
 * Differs from common code: statistics are over episodes, never over turns, so that long episodes do not count more. A group of one
 * episode, which failures may leave, has the advantage 0, also with the baseline `others`.
 *
 * @param returns [episodes] R, undiscounted
 * @param groups [episodes] the same number for episodes of the same task and seed
 * @returns [episodes]
 */
export function groupRelativeAdvantages(
  returns: ArrayLike<number>,
  groups: ArrayLike<number>,
  { baseline, scaleEpsilon, deviation = 'sample' }: GroupRelativeOptions,
): Float32Array {
  if (returns.length !== groups.length)
    throw new RangeError(
      `groupRelativeAdvantages: returns has ${returns.length} entries, groups ${groups.length}; both must be [episodes]`,
    );
  const advantages = new Float32Array(returns.length);
  for (const members of membersOf(groups)) {
    const own = members.map((i) => returns[i]);
    const center = mean(own);
    const spread = standardDeviation(own) * (deviation === 'population' ? Math.sqrt(1 - 1 / own.length) : 1);
    const scale = scaleEpsilon === null ? 1 : spread + scaleEpsilon;
    // Equal returns have the advantage 0; rounding errors of the mean, divided by a small deviation, could give another value.
    if (own.every((value) => value === own[0])) continue;
    const factor = baseline === 'others' ? own.length / (own.length - 1) : 1;
    for (const i of members) advantages[i] = (factor * (returns[i] - center)) / scale;
  }
  return advantages;
}

function membersOf(groups: ArrayLike<number>): number[][] {
  const indices = Array.from({ length: groups.length }, (_, i) => i);
  return [...groupBy(indices, (i) => groups[i]).values()];
}
