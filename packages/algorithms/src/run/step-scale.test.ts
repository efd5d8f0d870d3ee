import { adaptedScale } from './step-scale.js';

test('the KL of a step grows with its square, so the factor follows the root', () => {
  expect(adaptedScale(1, 0.2, 0.05)).toBeCloseTo(0.5); // √(0.05 / 0.2)
  expect(adaptedScale(0.5, 0.05, 0.05)).toBe(0.5);
});

test('it falls fast and rises slowly, within its bounds', () => {
  expect(adaptedScale(1, 100, 0.05)).toBe(0.25);
  expect(adaptedScale(1, 0, 0.05)).toBeCloseTo(1.2);
  expect(adaptedScale(1 / 128, 100, 0.05)).toBe(1 / 128);
  expect(adaptedScale(3.9, 1e-9, 0.05)).toBe(4);
});
