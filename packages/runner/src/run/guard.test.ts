import { guardProblems, guardReason } from './guard.js';

const off = { minEntropy: null, maxInvalidShare: null, maxKl: null };
const metrics = { 'rollout/utterance_entropy': 0.5, 'rollout/invalid_share': 0.25, 'diagnostics/kl_to_start': 2 };

test('without bounds no metric is checked', () => {
  expect(guardReason({}, off)).toBeNull();
});

test.each([
  [{ minEntropy: 0.5 }, null],
  [{ minEntropy: 0.51 }, 'rollout/utterance_entropy is 0.5, beyond guard.min_entropy=0.51'],
  [{ maxInvalidShare: 0.25 }, null],
  [{ maxInvalidShare: 0.2 }, 'rollout/invalid_share is 0.25, beyond guard.max_invalid_share=0.2'],
  [{ maxKl: 2 }, null],
  [{ maxKl: 1.5 }, 'diagnostics/kl_to_start is 2, beyond guard.max_kl=1.5'],
])('%j: %j', (bounds, reason) => {
  expect(guardReason(metrics, { ...off, ...bounds })).toBe(reason);
});

test('a bound of a metric that is not measured is an error', () => {
  expect(() => guardReason({}, { ...off, maxInvalidShare: 0.2 })).toThrow(
    'guard.max_invalid_share=0.2: this run does not measure rollout/invalid_share\n  write guard.max_invalid_share=null',
  );
  expect(guardProblems({ ...off, maxKl: 1 }, { turns: 16, klToStart: false })).toEqual([
    {
      key: 'guard.max_kl',
      message: 'guard.max_kl=1: the KL to the start is not measured',
      remedy: 'write diagnostics.kl_to_start=true with diagnostics.turns above 0, or guard.max_kl=null',
    },
  ]);
  expect(guardProblems({ ...off, maxKl: 1 }, { turns: 16, klToStart: true })).toEqual([]);
});
