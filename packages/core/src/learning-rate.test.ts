import { linearSchedule } from './learning-rate.js';

const schedule = { warmupSteps: 2, totalSteps: 12, finalShare: 0.1 };

test('the rate climbs to its peak, then falls to its final share', () => {
  expect(linearSchedule(1, 0, schedule)).toBeCloseTo(0.5);
  expect(linearSchedule(1, 1, schedule)).toBeCloseTo(1);
  expect(linearSchedule(1, 7, schedule)).toBeCloseTo(0.55); // halfway between 1 and 0.1
  expect(linearSchedule(1, 12, schedule)).toBeCloseTo(0.1);
  expect(linearSchedule(1, 99, schedule)).toBeCloseTo(0.1);
});
