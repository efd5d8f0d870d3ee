import { discountedReturns } from './monte-carlo.js';
import { importanceWeight, nStepReturn } from './n-step-return.js';

test('n = 1 is the TD target: r + γ V̄(s′)', () => {
  expect(nStepReturn({ rewards: [-1], nextValues: [-4] }, 0.95)).toBeCloseTo(-4.8);
});

test('n = 3: r₀ + γ r₁ + γ² r₂ + γ³ V̄(s₃); the values on the way do not matter', () => {
  const rewards = [1, 2, 3];
  expect(nStepReturn({ rewards, nextValues: [7, 8, 4] }, 0.5)).toBe(1 + 0.5 * 2 + 0.25 * 3 + 0.125 * 4);
  expect(nStepReturn({ rewards, nextValues: [NaN, NaN, 4] }, 0.5)).toBe(3.25);
});

test('all turns of an episode that terminated: the Monte-Carlo return', () => {
  const rewards = new Array<number>(20).fill(-1);
  const nextValues = rewards.map((_, k) => (k === 19 ? 0 : -3));
  expect(nStepReturn({ rewards, nextValues }, 0.95)).toBeCloseTo(discountedReturns(rewards, 0.95)[0], 9); // −12.83
});

test('ratios of 1 change nothing, ratios of 0 leave TD', () => {
  const turns = { rewards: [1, 2, 3], nextValues: [7, 8, 4] };
  expect(nStepReturn({ ...turns, ratios: [1, 1] }, 0.5)).toBe(nStepReturn(turns, 0.5));
  expect(nStepReturn({ ...turns, ratios: [0, 5] }, 0.5)).toBe(1 + 0.5 * 7);
});

test('two turns with ρ = 2: r₀ + γ [V₁ + ρ (r₁ + γ V₂ − V₁)]', () => {
  const found = nStepReturn({ rewards: [1, 2], nextValues: [3, 4], ratios: [2] }, 0.5);
  expect(found).toBe(1 + 0.5 * (3 + 2 * (2 + 0.5 * 4 - 3)));
});

test('with the exact ratio the mean over the other policy’s actions is the value under ours', () => {
  // At s₁ action A returns 10 and B returns 0. μ takes A with ½, π with ¾: V^π(s₁) = 7.5, so Q = γ 7.5.
  const target = (reward: number, ratio: number) =>
    nStepReturn({ rewards: [0, reward], nextValues: [2, 0], ratios: [ratio] }, 0.9);
  expect(0.5 * target(10, 0.75 / 0.5) + 0.5 * target(0, 0.25 / 0.5)).toBeCloseTo(0.9 * 7.5, 12);
});

test('an importance weight is a ratio of probabilities, at most the bound', () => {
  expect(importanceWeight(Math.log(0.6), Math.log(0.4), 10)).toBeCloseTo(1.5, 12);
  expect(importanceWeight(-1, -9, 10)).toBe(10);
});

test('arrays that do not fit are refused with their lengths', () => {
  expect(() => nStepReturn({ rewards: [1, 2], nextValues: [0, 0], ratios: [1, 1] }, 1)).toThrow(
    'nStepReturn: rewards has 2 entries, nextValues 2, ratios 2; they must be n, n and n − 1 with n of at least 1',
  );
});
