import { policyRate } from './policy-rate.js';
import type { LoopOptions } from '../types.js';

const options = { lmLr: 1, lmLrFinalShare: 0.1, warmupIter: 10, iterations: 111 } as LoopOptions;

test('the rate falls linearly from the first update to the last', () => {
  expect(policyRate(10, options)).toBeCloseTo(1);
  expect(policyRate(60, options)).toBeCloseTo(0.55); // halfway from 1 to 0.1
  expect(policyRate(110, options)).toBeCloseTo(0.1);
});

test('a final share of 1 keeps it constant', () => {
  expect(policyRate(60, { ...options, lmLrFinalShare: 1 })).toBe(1);
});

test('another schedule counts iterations after the frozen ones, its warm-up among them', () => {
  const cosine = { kind: 'cosine', warmupSteps: 4, finalShare: 0.2 } as const;
  const rates = [10, 13, 14, 62, 110].map((iteration) => policyRate(iteration, { ...options, lmSchedule: cosine }));
  // 100 steps of which 4 warm up: a quarter of the peak at once; halfway, at 4 + 48, the mean of 1 and 0.2
  [0.25, 1, 1, 0.6, 0.2].forEach((rate, i) => expect(rates[i]).toBeCloseTo(rate));
});
