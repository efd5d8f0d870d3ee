import { discountedReturns } from './monte-carlo.js';

test('a discounted return weighs a reward k turns ahead by γ^k', () => {
  expect(discountedReturns([-1, -1, 0], 0.95)).toEqual([-1.95, -1, 0]);
  expect(discountedReturns([0, 0, 0.7], 0.95).map((g) => +g.toFixed(6))).toEqual([0.63175, 0.665, 0.7]);
});

test('twenty lost turns of the guessing games return −(1 − γ²⁰)/(1 − γ)', () => {
  const returns = discountedReturns(new Array(20).fill(-1), 0.95);
  expect(returns[0]).toBeCloseTo(-12.8302815518, 9);
  expect(returns[1]).toBeCloseTo(-12.4529279493, 9);
});

test('an episode that was cut bootstraps from the value beyond', () => {
  expect(discountedReturns([0, 1], 0.5, 4)).toEqual([1.5, 3]); // 1 + 0.5 · 4; 0.5 · 3
});
