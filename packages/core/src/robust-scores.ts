// Computes statistics of a few runs of each method: the interquartile mean, the probability of improvement, and their intervals.
// Source: Agarwal et al. 2021, "Deep Reinforcement Learning at the Edge of the Statistical Precipice"; rliable computes the same.
import { quantile, mean } from './statistics.js';
import type { Interval } from './bootstrap-interval.js';
import type { Rng } from './rng.js';

/** The scores of a method, for each task those of its runs. */
export type TaskScores = readonly (readonly number[])[];

/** The number of resamples for an interval; with it the ends of an interval vary by a hundredth of the standard error between seeds. */
const RESAMPLES = 10_000;

/** Computes the mean over the scores of all tasks without the smallest and the largest quarter, each rounded down. */
export function interquartileMean(scores: TaskScores): number {
  const sorted = scores.flat().sort((a, b) => a - b);
  const cut = Math.floor(sorted.length / 4);
  return mean(sorted.slice(cut, sorted.length - cut));
}

/**
 * Computes the probability that a run of the first method has a higher score than a run of the second, averaged over tasks. Equal
 * scores count as half (the Mann–Whitney statistic divided by the number of pairs).
 */
export function probabilityOfImprovement(first: TaskScores, second: TaskScores): number {
  return mean(
    first.map((own, task) => {
      const wins = own.flatMap((x) => second[task].map((y): number => (x > y ? 1 : x === y ? 0.5 : 0)));
      return mean(wins);
    }),
  );
}

/**
 * Computes the percentile interval of a statistic by the stratified bootstrap, which resamples the runs of each method and task.
 * `methods`: the arguments of the statistic.
 */
export function stratifiedInterval(
  methods: readonly TaskScores[],
  statistic: (...methods: TaskScores[]) => number,
  rng: Rng,
  { resamples = RESAMPLES, level = 0.95 } = {},
): Interval {
  const drawn = (runs: readonly number[]) => runs.map(() => rng.choice(runs));
  const values = Array.from({ length: resamples }, () => statistic(...methods.map((scores) => scores.map(drawn))));
  const tail = (1 - level) / 2;
  return { low: quantile(values, tail), high: quantile(values, 1 - tail) };
}
