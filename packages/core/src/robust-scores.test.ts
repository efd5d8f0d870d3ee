// The expected figures follow rliable's definitions. They were computed once with SciPy 1.17: `trim_mean(scores, 0.25, axis=None)` and
// the statistic of `mannwhitneyu`, and the intervals with 100,000 and 20,000 resamples of NumPy.
import { Rng } from './rng.js';
import { interquartileMean, probabilityOfImprovement, stratifiedInterval, type TaskScores } from './robust-scores.js';

/** The first algorithm has five runs of each of three tasks, the second four. */
const first = [
  [0.11, 0.52, 0.31, 0.94, 0.47],
  [2.0, 2.5, 1.5, 9.0, 2.1],
  [-1.0, -0.5, -1.0, 0.25, -3.0],
];
const second = [
  [0.11, 0.22, 0.33, 0.64],
  [1.0, 2.5, 1.7, 2.2],
  [-1.5, -0.5, -1.0, 0.5],
];

test('the interquartile mean and the probability of improvement are those of SciPy', () => {
  expect(interquartileMean(first)).toBeCloseTo(0.6222222222222222, 12);
  expect(interquartileMean(second)).toBeCloseTo(0.46666666666666673, 12);
  expect(probabilityOfImprovement(first, second)).toBeCloseTo(0.5583333333333333, 12);
  expect(probabilityOfImprovement(second, first)).toBeCloseTo(0.44166666666666665, 12);
  expect(probabilityOfImprovement(first, first)).toBe(0.5);
});

test('fewer than four scores have their mean as the interquartile mean', () => {
  expect(interquartileMean([[1, 2, 9]])).toBe(4);
  expect(interquartileMean([[1, 2, 3, 90]])).toBe(2.5);
});

test('the stratified intervals are those of NumPy', () => {
  const ofMean = stratifiedInterval([first], interquartileMean, new Rng(0), { resamples: 5000 });
  expect(Math.abs(ofMean.low - 0.3567)).toBeLessThan(0.02);
  expect(Math.abs(ofMean.high - 0.8589)).toBeLessThan(0.02);
  const ofImprovement = stratifiedInterval([first, second], probabilityOfImprovement, new Rng(0), {
    resamples: 5000,
  });
  expect(Math.abs(ofImprovement.low - 0.3333)).toBeLessThan(0.02);
  expect(Math.abs(ofImprovement.high - 0.775)).toBeLessThan(0.02);
});

test('runs of one task never stand for another: equal runs within each task give an interval of width 0', () => {
  const apart: TaskScores = [
    [1, 1, 1],
    [5, 5, 5],
  ];
  const mean = (scores: TaskScores) => scores.flat().reduce((sum, score) => sum + score, 0) / 6;
  expect(stratifiedInterval([apart], mean, new Rng(1), { resamples: 100 })).toEqual({ low: 3, high: 3 });
});
