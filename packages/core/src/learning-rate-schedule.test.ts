import { resolveWarmupSteps, scheduledRate, type LearningRateSchedule } from './learning-rate-schedule.js';

const rates = (schedule: LearningRateSchedule, steps: number[]) =>
  steps.map((step) => Number(scheduledRate(2, step, 12, schedule).toFixed(4)));

test('every kind climbs to its peak in the warm-up', () => {
  for (const kind of ['constant', 'linear', 'cosine'] as const)
    expect(rates({ kind, warmupSteps: 2, finalShare: 0.1 }, [0, 1, 2])).toEqual([1, 2, 2]);
});

test('constant stays; linear and cosine fall to the final share, and stay there', () => {
  const options = { warmupSteps: 2, finalShare: 0.1 };
  expect(rates({ ...options, kind: 'constant' }, [7, 12, 99])).toEqual([2, 2, 2]);
  expect(rates({ ...options, kind: 'linear' }, [7, 12, 99])).toEqual([1.1, 0.2, 0.2]); // halfway between 2 and 0.2
  // a quarter of the way: 0.1 + 0.9 · (1 + cos 45°) / 2 of the peak; halfway the cosine is 0
  expect(scheduledRate(2, 4.5, 12, { ...options, kind: 'cosine' })).toBeCloseTo(
    2 * (0.1 + (0.9 * (1 + Math.SQRT1_2)) / 2),
  );
  expect(rates({ ...options, kind: 'cosine' }, [7, 12, 99])).toEqual([1.1, 0.2, 0.2]);
});

test('AgentGym: a negative warm-up is a tenth of all steps, rounded down', () => {
  expect(resolveWarmupSteps(-100, 39)).toBe(3);
  expect(resolveWarmupSteps(-1, 9)).toBe(0);
  expect(resolveWarmupSteps(0, 39)).toBe(0); // not negative: the number itself
  const linear: LearningRateSchedule = { kind: 'linear', warmupSteps: -100, finalShare: 0 };
  // T = 40, W = 4: the peak at the fourth step, then (T − s) / (T − W)
  expect(scheduledRate(1, 3, 40, linear)).toBe(1);
  expect(scheduledRate(1, 22, 40, linear)).toBeCloseTo((40 - 22) / (40 - 4));
});
