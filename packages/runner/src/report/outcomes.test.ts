// Tests the intervals of means and shares over the runs of a setting.
import { shareInterval } from './outcomes.js';

test('an interval of a share stays within 0 … 1, also of two runs, and of runs that agree', () => {
  for (const shares of [
    [0.95, 0.93],
    [1, 1],
    [0, 0],
    [0, 1],
    [0.9, 1, 0.95],
  ]) {
    const { low, high } = shareInterval(shares, 200);
    expect(low).toBeGreaterThanOrEqual(0);
    expect(high).toBeLessThanOrEqual(1);
    expect(high - low).toBeGreaterThan(0);
  }
});

test('of many runs that vary as their episodes do, it is Wilson’s', () => {
  // 40 runs of 10 episodes, half of them won: Student's quantile of 39 degrees of freedom, n = 400
  const shares = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 0.45 : 0.55));
  const { low, high } = shareInterval(shares, 400);
  const t = 2.02269;
  const half = (t * Math.sqrt(0.25 / 400 + t ** 2 / (4 * 400 ** 2))) / (1 + t ** 2 / 400);
  expect(low).toBeCloseTo(0.5 - half, 6);
  expect(high).toBeCloseTo(0.5 + half, 6);
});

test('runs that vary more than their episodes would widen it', () => {
  const width = (shares: number[]) => shareInterval(shares, 1000).high - shareInterval(shares, 1000).low;
  expect(width([0.2, 0.8, 0.5])).toBeGreaterThan(3 * width([0.5, 0.5, 0.5]));
});
