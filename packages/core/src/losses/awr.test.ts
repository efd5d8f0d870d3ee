import { expectGradient } from '../../test/central-differences.js';
import { awrLoss, awrWeights } from './awr.js';

const options = { temperature: 0.5, maxWeight: 20 };

test('weights are exp(A / β), at most the bound', () => {
  const [none, half, large] = awrWeights(Float32Array.of(0, -0.5, 2), options);
  expect(none).toBe(1);
  expect(half).toBeCloseTo(Math.exp(-1), 6);
  expect(large).toBe(20); // e^4 = 54.6
});

test('the loss is the weighted negative log-likelihood', () => {
  const rest = { advantages: Float32Array.of(0, 2), weights: Float32Array.of(0.5, 0.5) };
  const logprobs = Float32Array.of(-1, -0.1);
  expect(awrLoss({ logprobs, ...rest }, options).loss).toBeCloseTo(0.5 * 1 + 0.5 * 20 * 0.1, 5);
  expectGradient((at) => awrLoss({ logprobs: at, ...rest }, options), logprobs);
});
