import { bootstrapMean } from './bootstrap-interval.js';
import { Rng } from './rng.js';
import { clusteredMean, studentQuantile, gainVerdict } from './student-interval.js';

// Printed tables of Student's t, two-sided 95 % and 99 %.
test.each([
  [1, 12.706, 63.657],
  [2, 4.303, 9.925],
  [3, 3.182, 5.841],
  [4, 2.776, 4.604],
  [9, 2.262, 3.25],
  [30, 2.042, 2.75],
  [120, 1.98, 2.617],
])('the quantiles of Student’s t with %i degrees of freedom are those of the printed tables', (freedom, t95, t99) => {
  expect(studentQuantile(0.975, freedom)).toBeCloseTo(t95, 3);
  expect(studentQuantile(0.995, freedom)).toBeCloseTo(t99, 3);
  expect(studentQuantile(0.025, freedom)).toBeCloseTo(-t95, 3);
});

test('clusters of one value give the interval of a mean', () => {
  // 1, 2, 3, 4: mean 2.5, s = √(5/3), SE = s / 2 = 0.6455, t₃ = 3.182
  const found = clusteredMean([[1], [2], [3], [4]]);
  expect(found).toMatchObject({ mean: 2.5, clusters: 4 });
  expect(found.standardError).toBeCloseTo(0.6455, 4);
  expect(found.low).toBeCloseTo(2.5 - 3.182 * 0.6455, 3);
});

test('equal values of a cluster count as one: copies do not narrow the interval', () => {
  const copied = clusteredMean([
    [0, 0, 0, 0],
    [1, 1, 1, 1],
    [1, 1, 1, 1],
  ]);
  const alone = clusteredMean([[0], [1], [1]]);
  expect(copied.low).toBeCloseTo(alone.low);
  expect(copied.high).toBeCloseTo(alone.high);
});

test('an interval from one cluster has no bounds, and none from nothing', () => {
  expect(clusteredMean([[1, 2, 3], []])).toMatchObject({ mean: 2, low: -Infinity, high: Infinity });
  expect(() => clusteredMean([[], []])).toThrow('clusteredMean: no values');
});

test('19 of 20 intervals contain the true mean, with few clusters too, where a bootstrap contains it less often', () => {
  const rng = new Rng(1);
  const trials = 2000;
  let [student, bootstrap] = [0, 0];
  for (let trial = 0; trial < trials; trial++) {
    const clusters = Array.from({ length: 5 }, () => {
      const task = rng.normal();
      return Array.from({ length: 4 }, () => task + rng.normal());
    });
    const contains = ({ low, high }: { low: number; high: number }) => low <= 0 && high >= 0;
    if (contains(clusteredMean(clusters))) student++;
    if (trial < 200 && contains(bootstrapMean(clusters, rng, { resamples: 200 }))) bootstrap++;
  }
  expect(student / trials).toBeGreaterThan(0.935); // 0.95 ± 3 √(0.95 · 0.05 / 2000)
  expect(student / trials).toBeLessThan(0.965);
  expect(bootstrap / 200).toBeLessThan(0.9);
});

test('a verdict needs an interval on one side of 0', () => {
  expect([gainVerdict({ low: 0.01, high: 0.2 }), gainVerdict({ low: -0.1, high: 0.2 })]).toEqual(['improved', 'equal']);
  expect([gainVerdict({ low: -0.3, high: -0.1 }), gainVerdict({ low: 0, high: 0 })]).toEqual(['worse', 'equal']);
});
