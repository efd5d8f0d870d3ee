import { Rng } from '@bowyer/core';
import { drawnCounts, passRate } from './pass-rates.js';

test('worked by hand: two tasks of four rollouts, of which one and three succeeded', () => {
  const tasks = [
    { rollouts: 4, successes: 1 },
    { rollouts: 4, successes: 3 },
  ];
  // Each task has 6 pairs of rollouts. At least one rollout succeeds in 3 pairs of the first task and 6 of the second, both
  // succeed in 0 and 3 pairs.
  expect(passRate(tasks, 2)).toMatchObject({ k: 2, any: (3 / 6 + 6 / 6) / 2, all: (0 / 6 + 3 / 6) / 2 });
  expect(passRate(tasks, 1)).toMatchObject({ any: 0.5, all: 0.5 });
  expect(passRate(tasks, 4)).toMatchObject({ any: 1, all: 0 });
  expect(passRate([...tasks, { rollouts: 1, successes: 0 }], 2)).toEqual(passRate(tasks, 2));
  expect(passRate(tasks, 5)).toBeNull();
});

test('without bias: the mean over many samples is the chance itself', () => {
  const rng = new Rng(3);
  const [chance, n, k] = [0.3, 5, 3];
  const tasks = Array.from({ length: 400 }, () => ({
    rollouts: n,
    successes: Array.from({ length: n }, () => Number(rng.uniform() < chance)).reduce((a, b) => a + b),
  }));
  const { any, all } = passRate(tasks, k)!;
  expect(any).toBeCloseTo(1 - (1 - chance) ** k, 1);
  expect(all).toBeCloseTo(chance ** k, 1);
});

test('k grows by doubling up to the number of rollouts', () => {
  expect([1, 4, 6].map(drawnCounts)).toEqual([[1], [1, 2, 4], [1, 2, 4, 6]]);
});
