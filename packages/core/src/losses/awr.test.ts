import { expectGradient } from '../../test/central-differences.js';
import { awrLoss, awrWeights } from './awr.js';

const options = { temperature: 0.5, maxWeight: 20 };

test('weights are exp(A / β), at most the bound', () => {
  const [none, half, large] = awrWeights(Float32Array.of(0, -0.5, 2), options);
  expect(none).toBe(1);
  expect(half).toBeCloseTo(Math.exp(-1), 6);
  expect(large).toBe(20); // e^4 = 54.6
});

test('spec 15: A = 0.5, β = 1 and log π = −3 give 4.946', () => {
  const one = (value: number) => Float32Array.of(value);
  const turn = { logprobs: one(-3), advantages: one(0.5), weights: one(1) };
  expect(awrLoss(turn, { temperature: 1, maxWeight: 20 }).loss).toBeCloseTo(4.946, 3); // 3 e^½
});

test('the loss is the weighted negative log-likelihood', () => {
  const rest = { advantages: Float32Array.of(0, 2), weights: Float32Array.of(0.5, 0.5) };
  const logprobs = Float32Array.of(-1, -0.1);
  expect(awrLoss({ logprobs, ...rest }, options).loss).toBeCloseTo(0.5 * 1 + 0.5 * 20 * 0.1, 5);
  expectGradient((at) => awrLoss({ logprobs: at, ...rest }, options), logprobs);
});
