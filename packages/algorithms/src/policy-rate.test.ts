import { policyRate } from './policy-rate.js';
import type { LoopOptions } from './types.js';

const options = { lmLr: 1, lmLrFinalShare: 0.1, warmupIter: 10, iterations: 111 } as LoopOptions;

test('the rate falls linearly from the first update to the last', () => {
  expect(policyRate(10, options)).toBeCloseTo(1);
  expect(policyRate(60, options)).toBeCloseTo(0.55); // halfway from 1 to 0.1
  expect(policyRate(110, options)).toBeCloseTo(0.1);
});

test('a final share of 1 keeps it constant', () => {
  expect(policyRate(60, { ...options, lmLrFinalShare: 1 })).toBe(1);
});
