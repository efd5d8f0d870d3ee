import { confidenceSequence, rolloutsNeeded } from './confidence-sequence.js';
import { Rng } from './rng.js';

test('worked by hand: one value of 1 refutes what its bet wins enough against', () => {
  // K⁺(m) = 1 + min(λ, 0.75 / m)(1 − m) with λ = √(2 log(2 / 0.5) / (log 2 / 4)) = 4; K⁺(m) = 2 / 0.5 = 4 where 0.75 (1 − m) = 3 m.
  const { low, high } = confidenceSequence([1], 0.5);
  expect(low).toBeCloseTo(0.2, 6);
  expect(high).toBe(1);
});

test('values and what they lack to 1 have mirrored intervals, and no value says nothing', () => {
  const values = [1, 0, 0.25, 1, 1, 0.5];
  const { low, high } = confidenceSequence(values);
  const mirrored = confidenceSequence(values.map((value) => 1 - value));
  expect(mirrored.low).toBeCloseTo(1 - high);
  expect(mirrored.high).toBeCloseTo(1 - low);
  expect(confidenceSequence([])).toEqual({ low: 0, high: 1 });
});

// An interval for one fixed number of values would miss the mean far more often if it were checked at five lengths.
test.each([
  ['successes of one half', 0.5, (rng: Rng) => Number(rng.uniform() < 0.5)],
  ['rare failures', 0.9, (rng: Rng) => Number(rng.uniform() < 0.9)],
  ['parts of a reward', 0.5, (rng: Rng) => rng.uniform()],
])('%s: the mean is in the intervals of all five times in at least 90 %% of the runs', (_name, mean, draw) => {
  const rng = new Rng(5);
  const runs = 100;
  let missed = 0;
  for (let run = 0; run < runs; run++) {
    const values = Array.from({ length: 80 }, () => draw(rng));
    const isMissed = [2, 10, 25, 50, 80].some((count) => {
      const { low, high } = confidenceSequence(values.slice(0, count), 0.9);
      return mean < low || mean > high;
    });
    missed += Number(isMissed);
  }
  expect(missed / runs).toBeLessThan(0.1);
});

test('few values are enough where it is clear: none of 4 succeeds where 0.8 is asked for, or all of 25', () => {
  expect(confidenceSequence([0, 0, 0, 0]).high).toBeLessThan(0.8);
  expect(confidenceSequence(Array.from({ length: 25 }, () => 1)).low).toBeGreaterThan(0.8);
});

test('a difference of half a standard deviation needs 32 pairs: (1.96 + 0.84)² · 4', () => {
  expect(rolloutsNeeded({ difference: 0.5, deviation: 1 })).toBe(32);
  expect(rolloutsNeeded({ difference: 0.1, deviation: 0.5 })).toBe(197);
  expect(() => rolloutsNeeded({ difference: 0, deviation: 1 })).toThrow('must be above 0');
});
