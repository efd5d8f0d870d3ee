import { adaptedKlCoefficient } from './adaptive-kl.js';

test('the coefficient follows the error, within bounds', () => {
  expect(adaptedKlCoefficient(0.2, 6, 6)).toBe(0.2);
  expect(adaptedKlCoefficient(0.2, 6.6, 6)).toBeCloseTo(0.2 * 1.01, 12); // 10 % too much, gain 0.1
  expect(adaptedKlCoefficient(0.2, 60, 6)).toBeCloseTo(0.2 * 1.02, 12);
  expect(adaptedKlCoefficient(0.2, 0, 6)).toBeCloseTo(0.2 * 0.98, 12);
});
