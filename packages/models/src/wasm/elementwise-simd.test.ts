// Compares WebAssembly loops with plain loops. The tests of optimizers compare the others, over tensors of several chunks.
import { Rng } from '@bowyer/core';
import { adamInPlace, polyakInPlace, sumOfSquares, type AdamScalars } from './elementwise-simd.js';

const scalars: AdamScalars = {
  gradientScale: 0.5,
  beta1: 0.9,
  beta2: 0.999,
  oneMinusBeta1: 0.1,
  oneMinusBeta2: 0.001,
  stepSize: 0.01,
  secondMomentScale: 1.5,
  eps: 1e-8,
  l2: 0.1,
  keep: 0.99,
};

const normals = (rng: Rng, length: number) => Float32Array.from({ length }, () => rng.normal());

test('moments too small to be normal numbers become zero', () => {
  const m = Float32Array.of(1e-38, 1e-30);
  adamInPlace(new Float32Array(2), new Float32Array(2), m, new Float32Array(2), scalars);
  expect(m[0]).toBe(0); // 0.9 · 1e-38 is below 2⁻¹²⁶
  expect(m[1]).toBeCloseTo(9e-31, 36);
});

// The lengths are around the four lanes and around the chunk of 8192.
test.each([1, 5, 8192, 30_003])('the sum of squares of %i values equals the slow one', (length) => {
  const values = normals(new Rng(length), length);
  const slow = [...values].reduce((sum, x) => sum + x * x, 0);
  expect(sumOfSquares(values) / slow).toBeCloseTo(1, 12);
});

test('the sum of squares passes NaN on', () => {
  expect(sumOfSquares(Float32Array.of(1, NaN, 2))).toBeNaN();
});

test.each([1, 6, 8192, 8195])('polyak of %i values equals the slow one', (length) => {
  const rng = new Rng(length);
  const [target, online] = [normals(rng, length), normals(rng, length)];
  const slow = [...target].map((x, i) => (1 - 0.1) * x + 0.1 * online[i]);
  polyakInPlace(target, online, 0.1);
  expect(target.reduce((most, x, i) => Math.max(most, Math.abs(x - slow[i])), 0)).toBeLessThan(1e-6);
});
