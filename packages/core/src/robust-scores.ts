// Statistics of a few runs of each method: the interquartile mean, the probability of improvement, and their intervals.
// Source: Agarwal et al. 2021, "Deep Reinforcement Learning at the Edge of the Statistical Precipice"; rliable computes the same.
import { quantile, mean } from './statistics.js';
import type { Interval } from './bootstrap-interval.js';
import type { Rng } from './rng.js';

/** Scores of a method: for each task those of its runs. */
export type TaskScores = readonly (readonly number[])[];

/** Resamples of an interval: its ends move by a hundredth of the standard error from seed to seed. */
const RESAMPLES = 10_000;

/**
 * Computes the mean of the scores of all tasks without the smallest and the largest quarter of them (rounded down, so that fewer than
 * four scores give the mean).
 */
export function interquartileMean(scores: TaskScores): number {
  const sorted = scores.flat().sort((a, b) => a - b);
  const cut = Math.floor(sorted.length / 4);
  return mean(sorted.slice(cut, sorted.length - cut));
}

/**
 * Computes how probable it is that a run of the first method has a higher score than a run of the second, as the mean over tasks. An
 * equal score counts as half (the statistic of Mann and Whitney, divided by the number of pairs).
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
 * Computes the percentile interval of a statistic by the stratified bootstrap: of each method and each task as many runs are drawn with
 * replacement as there are, apart from the others.
 *
 * @param methods what the statistic takes
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
