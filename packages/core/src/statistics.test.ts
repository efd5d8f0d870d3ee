import { correlation, maximum, mean, minimum, quantile, standardDeviation, standardError } from './statistics.js';

test('the 0.9-quantile interpolates between order statistics', () => {
  // twenty returns: position 0.9 · 19 = 17.1, a tenth of the way from −15 to −12
  expect(quantile([...new Array(15).fill(-20), -19, -18, -15, -12, -9], 0.9)).toBeCloseTo(-14.7);
  expect(quantile([...new Array(19).fill(-20), -5], 0.9)).toBe(-20);
});

test('the standard deviation is unbiased, and 0 for a single value', () => {
  expect(standardDeviation([1, 3])).toBeCloseTo(Math.SQRT2); // ((−1)² + 1²) / (2 − 1)
  expect(standardError([1, 3])).toBeCloseTo(1);
  expect(standardDeviation([5])).toBe(0);
});

test('mean, minimum and maximum', () => {
  expect([mean([1, 2, 6]), minimum([4, -1, 2]), maximum([4, -1, 2])]).toEqual([3, -1, 4]);
});

test('correlation is ±1 on a line and 0 without variation', () => {
  expect(correlation([1, 2, 3], [2, 4, 6])).toBeCloseTo(1);
  expect(correlation([1, 2, 3], [3, 2, 1])).toBeCloseTo(-1);
  expect(correlation([1, 2, 3], [5, 5, 5])).toBe(0);
});
