import { bootstrapMean } from './bootstrap-interval.js';
import { Rng } from './rng.js';
import { mean, standardError } from './statistics.js';

const single = (values: readonly number[]) => values.map((value) => [value]);

test('the interval of a large sample is the mean ± 1.96 standard errors', () => {
  const rng = new Rng(3);
  const values = Array.from({ length: 100 }, () => rng.normal());
  const { low, high } = bootstrapMean(single(values), new Rng(0), { resamples: 1000 });
  const [m, error] = [mean(values), standardError(values)];
  expect(low).toBeCloseTo(m - 1.96 * error, 1);
  expect(high).toBeCloseTo(m + 1.96 * error, 1);
});

test('95 of 100 intervals contain the true mean, roughly', () => {
  const rng = new Rng(1);
  let hits = 0;
  for (let repeat = 0; repeat < 100; repeat++) {
    const values = Array.from({ length: 20 }, () => rng.uniform());
    const { low, high } = bootstrapMean(single(values), new Rng(repeat), { resamples: 100 });
    hits += Number(low <= 0.5 && 0.5 <= high);
  }
  expect(hits / 100).toBeGreaterThan(0.84);
  expect(hits / 100).toBeLessThan(1);
});

test('episodes of few items say less than as many episodes of different items', () => {
  const items = Array.from({ length: 10 }, (_, item) => Array<number>(10).fill(item % 2));
  const clustered = bootstrapMean(items, new Rng(0), { resamples: 200 });
  const independent = bootstrapMean(single(items.flat()), new Rng(0), { resamples: 200 });
  expect(clustered.high - clustered.low).toBeGreaterThan(2 * (independent.high - independent.low));
});

test('the same stream gives the same interval; equal values one of width 0; no values are refused', () => {
  expect(bootstrapMean([[1], [2], [4]], new Rng(5))).toEqual(bootstrapMean([[1], [2], [4]], new Rng(5)));
  expect(bootstrapMean([[2], [2]], new Rng(0))).toEqual({ low: 2, high: 2 });
  expect(() => bootstrapMean([[]], new Rng(0))).toThrow('no values');
});
