// Estimates pass@k and pass^k of an agent from several rollouts of each task.
import { bootstrapMean, mean, Rng, type Interval } from '@bowyer/core';

export interface TaskSuccesses {
  rollouts: number;
  successes: number;
}

export interface PassRate {
  /** The number of rollouts per task to which the probabilities refer. */
  k: number;
  /** pass@k: the probability that at least one of k rollouts succeeds. */
  any: number;
  anyInterval: Interval;
  /** pass^k: the probability that all k rollouts succeed. */
  all: number;
  allInterval: Interval;
}

/**
 * Estimates pass@k and pass^k without bias, from n ≥ k rollouts of each task of which c succeeded; k are drawn without replacement.
 *
 *     pass@k = mean over tasks of 1 − C(n − c, k) / C(n, k)          pass^k = mean over tasks of C(c, k) / C(n, k)
 *
 * Sources: Chen et al. 2021, arXiv:2107.03374, eq. 1; Yao et al. 2024 (τ-bench), arXiv:2406.12045, section 3. Tasks with fewer than k
 * rollouts are left out. Intervals are 95 % bootstrap intervals over tasks.
 *
 * @returns null where no task has k rollouts
 */
export function passRate(tasks: readonly TaskSuccesses[], k: number): PassRate | null {
  const known = tasks.filter(({ rollouts }) => rollouts >= k);
  if (known.length === 0) return null;
  const any = known.map(({ rollouts, successes }) => 1 - share(rollouts - successes, rollouts, k));
  const all = known.map(({ rollouts, successes }) => share(successes, rollouts, k));
  return { k, any: mean(any), anyInterval: interval(any), all: mean(all), allInterval: interval(all) };
}

/** Computes C(some, k) / C(all, k) as a product of ratios, which cannot overflow. */
function share(some: number, all: number, k: number): number {
  let product = 1;
  for (let i = 0; i < k; i++) product *= Math.max(0, some - i) / (all - i);
  return product;
}

const interval = (values: readonly number[]): Interval =>
  bootstrapMean(
    values.map((value) => [value]),
    Rng.forPurpose(0, 'bootstrap'),
  );

/** Lists the values of k for which the probabilities are reported: 1, 2, 4, … and the number of rollouts itself. */
export function drawnCounts(samples: number): number[] {
  const counts: number[] = [];
  for (let k = 1; k < samples; k *= 2) counts.push(k);
  return [...counts, samples];
}
