import { expectGradient } from '../../test/central-differences.js';
import { expectileLoss } from './expectile.js';

const targets = Float32Array.of(1, -1);
const weights = Float32Array.of(0.5, 0.5);

test('a value below its target weighs τ, one above it 1 − τ', () => {
  const { loss, gradient } = expectileLoss(Float32Array.of(0, 1), targets, weights, { expectile: 0.75 });
  expect(loss).toBe(0.5 * 0.75 * 1 ** 2 + 0.5 * 0.25 * 2 ** 2);
  expect([...gradient]).toEqual([-0.75, 0.5]); // −2 · ½ · ¾ · 1 and −2 · ½ · ¼ · −2
});

test('spec 15: with τ = 0.9 an error of 2 costs 3.6, one of −2 costs 0.4', () => {
  const cost = (error: number) =>
    expectileLoss(Float32Array.of(0), Float32Array.of(error), Float32Array.of(1), { expectile: 0.9 }).loss;
  expect(cost(2)).toBeCloseTo(3.6);
  expect(cost(-2)).toBeCloseTo(0.4);
});

test('τ = 0.5 is half the squared error', () => {
  expect(expectileLoss(Float32Array.of(0, 1), targets, weights, { expectile: 0.5 }).loss).toBe(
    0.5 * (0.5 * 1 + 0.5 * 4),
  );
});

test('the minimum over one value is the expectile: of 0 and 1 with τ = 0.9 it is 0.9', () => {
  const slope = (value: number) =>
    expectileLoss(Float32Array.of(value, value), Float32Array.of(0, 1), weights, { expectile: 0.9 }).gradient.reduce(
      (a, b) => a + b,
    );
  expect(slope(0.9)).toBeCloseTo(0, 6); // 0.1 · 0.9 = 0.9 · 0.1
});

test('the gradient agrees with central differences', () => {
  expectGradient((at) => expectileLoss(at, targets, weights, { expectile: 0.8 }), Float32Array.of(0.3, 0.2));
});
