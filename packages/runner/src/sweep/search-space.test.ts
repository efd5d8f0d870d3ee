import { compose, sweepDimensions } from '@bowyer/config';
import { drawTrials } from './search-space.js';

const nothing = compose({ configDirs: [], configName: null, overrides: [] });
const draw = (overrides: string[], trials: number, seed = 0) =>
  drawTrials(sweepDimensions(overrides, nothing), trials, seed);
const numbers = (trials: string[][]) => trials.map(([override]) => Number(override.slice(override.indexOf('=') + 1)));
const share = (values: number[], test: (value: number) => boolean) => values.filter(test).length / values.length;

test('choice, plain lists and ranges give one of their values, as the basic sweeper writes it', () => {
  const trials = draw(['+a=choice(x,y)', 'b=1,2', 'c=range(0,1,0.5)', 'd=tag(t,choice(p))', 'e=fixed\\ text'], 8);
  const values = (place: number) => [...new Set(trials.map((trial) => trial[place]))].sort();
  expect(values(0)).toEqual(['+a=x', '+a=y']);
  expect(values(1)).toEqual(['b=1', 'b=2']);
  expect(values(2)).toEqual(['c=0.0', 'c=0.5']);
  expect(values(3)).toEqual(['d=p']);
  expect(values(4)).toEqual(['e=fixed\\ text']);
});

test('no trial comes twice, and a space that is used up ends the draws', () => {
  const trials = draw(['a=1,2', 'b=1,2,3'], 50);
  expect(new Set(trials.map((trial) => trial.join())).size).toBe(trials.length);
  expect(trials).toHaveLength(6);
});

test('the same seed draws the same; more trials begin with the same ones; another seed draws others', () => {
  const space = ['lr=interval(0,1)', 'n=int(interval(1,9))'];
  expect(draw(space, 20).slice(0, 5)).toEqual(draw(space, 5));
  expect(draw(space, 5, 1)).not.toEqual(draw(space, 5));
});

// The shares of 2,000 draws have a standard error of at most 0.5 / √2000 = 0.011, so that 0.05 is more than four standard errors.
test('an interval is uniform', () => {
  const values = numbers(draw(['a=interval(-2,2)'], 2000));
  expect(Math.min(...values)).toBeGreaterThanOrEqual(-2);
  expect(Math.max(...values)).toBeLessThanOrEqual(2);
  expect(share(values, (value) => value < -1)).toBeCloseTo(0.25, 1);
  expect(Math.abs(share(values, (value) => value < 1) - 0.75)).toBeLessThan(0.05);
});

test('tag(log, interval) has a third of its draws in each of three decades', () => {
  const values = numbers(draw(['a=tag(log,interval(1e-6,1e-3))'], 2000));
  expect(Math.min(...values)).toBeGreaterThanOrEqual(1e-6);
  expect(Math.max(...values)).toBeLessThanOrEqual(1e-3);
  for (const decade of [1e-6, 1e-5, 1e-4])
    expect(Math.abs(share(values, (value) => value >= decade && value < 10 * decade) - 1 / 3)).toBeLessThan(0.05);
});

test('int(interval) gives integers, both ends included; with tag(log) the small ones are likelier', () => {
  expect(numbers(draw(['a=int(interval(1,4))'], 100)).sort()).toEqual([1, 2, 3, 4]);
  // The value 1 is drawn if u is below ln 2 of ln 9, a share of 1/3.2; in 100 draws every value occurs.
  expect(numbers(draw(['a=tag(log,int(interval(1,8)))'], 100)).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const first = Array.from({ length: 1000 }, (_, seed) => numbers(draw(['a=tag(log,int(interval(1,8)))'], 1, seed))[0]);
  expect(Math.abs(share(first, (value) => value === 1) - Math.log(2) / Math.log(9))).toBeLessThan(0.06);
});

test('a drawn float stays a float for the config, also where it is whole', () => {
  expect(draw(['a=interval(3,3)'], 5)).toEqual([['a=3.0']]);
});

test('refused with the way out', () => {
  expect(() => draw(['a=interval(2,1)'], 1)).toThrow(
    "'a': interval(2,1) contains no number\n  write the smaller end first",
  );
  expect(() => draw(['a=tag(log,interval(0,1))'], 1)).toThrow(
    "'a': interval(0,1) has no logarithm at its start\n  take a start above 0, or leave out tag(log, …)",
  );
  expect(() => draw(['a=range(3,1)'], 1)).toThrow("'a' has no values to draw from\n  check its range or glob");
});
