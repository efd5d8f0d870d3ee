import { expectileWeights } from './expectile.js';

const weightsOf = (values: number[], targets: number[], expectile: number) =>
  expectileWeights(Float32Array.from(values), Float32Array.from(targets), { expectile });

test('a value below its target weighs τ, one above it 1 − τ', () => {
  expect([...weightsOf([0, 1], [1, -1], 0.75)]).toEqual([0.75, 0.25]);
});

test('with τ = 0.9 an error of 2 costs 3.6, one of −2 costs 0.4', () => {
  const cost = (error: number) => weightsOf([0], [error], 0.9)[0] * error ** 2;
  expect(cost(2)).toBeCloseTo(3.6);
  expect(cost(-2)).toBeCloseTo(0.4);
});

test('the minimum over one value is the expectile: of 0 and 1 with τ = 0.9 it is 0.9', () => {
  const value = 0.9;
  const targets = [0, 1];
  const slope = weightsOf([value, value], targets, 0.9).reduce((sum, w, i) => sum + w * (targets[i] - value), 0);
  expect(slope).toBeCloseTo(0, 6); // −0.1 · 0.9 + 0.9 · 0.1
});
