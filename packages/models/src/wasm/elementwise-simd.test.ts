// Compares the WebAssembly loops with plain loops.
import { Rng } from '@bowyer/core';
import { adamInPlace, sgdInPlace, polyakInPlace, sumOfSquares, type AdamScalars } from './elementwise-simd.js';

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

/** Computes the same in float64, one parameter at a time. */
function slowAdam(p: number[], g: number[], m: number[], v: number[], s: AdamScalars) {
  for (let i = 0; i < p.length; i++) {
    const gradient = g[i] * s.gradientScale + s.l2 * p[i];
    m[i] = s.beta1 * m[i] + (1 - s.beta1) * gradient;
    v[i] = s.beta2 * v[i] + (1 - s.beta2) * gradient ** 2;
    p[i] = s.keep * p[i] - (s.stepSize * m[i]) / (Math.sqrt(v[i]) * s.secondMomentScale + s.eps);
  }
}
const normals = (rng: Rng, length: number) => Float32Array.from({ length }, () => rng.normal());

// The lengths are around the four lanes and around the chunk of 8192.
test.each([1, 3, 4, 5, 8191, 8192, 8193, 20_001])('adam of %i parameters equals the slow loop', (length) => {
  const rng = new Rng(length);
  const [p, g, m] = [normals(rng, length), normals(rng, length), normals(rng, length)];
  const v = normals(rng, length).map((x) => x * x);
  const slow = [p, g, m, v].map((array) => [...array]) as [number[], number[], number[], number[]];
  slowAdam(...slow, scalars);
  adamInPlace(p, g, m, v, scalars);
  const worst = (fast: Float32Array, expected: number[]) =>
    fast.reduce((most, x, i) => Math.max(most, Math.abs(x - expected[i]) / (1 + Math.abs(expected[i]))), 0);
  expect(worst(p, slow[0])).toBeLessThan(1e-6);
  expect(worst(m, slow[2])).toBeLessThan(1e-6);
  expect(worst(v, slow[3])).toBeLessThan(1e-6);
  expect(g.every((x) => x === 0)).toBe(true);
});

test('moments too small to be normal numbers become zero', () => {
  const m = Float32Array.of(1e-38, 1e-30);
  adamInPlace(new Float32Array(2), new Float32Array(2), m, new Float32Array(2), scalars);
  expect(m[0]).toBe(0); // 0.9 · 1e-38 is below 2⁻¹²⁶
  expect(m[1]).toBeCloseTo(9e-31, 36);
});

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

test.each([false, true])('SGD with momentum as a slow float64 loop takes it; nesterov: %s', (nesterov) => {
  const size = 8195; // one chunk and an incomplete one
  const [lr, momentum, l2, gradientScale] = [0.1, 0.9, 0.01, 0.5];
  const parameter = Float32Array.from({ length: size }, (_, i) => Math.sin(i));
  const buffer = new Float32Array(size);
  const [p, b] = [Float64Array.from(parameter), new Float64Array(size)];
  const shares = nesterov ? { gradientShare: 1, bufferShare: momentum } : { gradientShare: 0, bufferShare: 1 };
  for (let step = 1; step <= 3; step++) {
    const gradient = Float32Array.from({ length: size }, (_, i) => Math.cos(i * step));
    for (let i = 0; i < size; i++) {
      // torch.optim.SGD: g ← g + λp;  b ← μb + g;  p ← p − lr · (nesterov: g + μb, else b)
      const g = gradient[i] * gradientScale + l2 * p[i];
      b[i] = momentum * b[i] + g;
      p[i] -= lr * (nesterov ? g + momentum * b[i] : b[i]);
    }
    sgdInPlace(parameter, gradient, buffer, { gradientScale, l2, momentum, lr, ...shares });
    expect(gradient.every((x) => x === 0)).toBe(true);
  }
  expect(Math.max(...parameter.map((x, i) => Math.abs(x - p[i])))).toBeLessThan(1e-6);
  expect(Math.max(...buffer.map((x, i) => Math.abs(x - b[i])))).toBeLessThan(1e-6);
});
