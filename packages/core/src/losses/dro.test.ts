import { expectGradient } from '../../test/central-differences.js';
import { droLoss } from './dro.js';

const logprobs = Float32Array.of(-1, -2, -0.5);
const tokens = {
  oldLogprobs: Float32Array.of(-1.5, -1, -0.5),
  advantages: Float32Array.of(2, -1, 3),
  weights: Float32Array.of(1, 0.5, 0),
};

test('the loss is −w (A logprob − β/2 logRatio²)', () => {
  // −(2·(−1) − 0.1·0.25) − 0.5·((−1)·(−2) − 0.1·1) = 2.025 − 0.95
  expect(droLoss({ logprobs, ...tokens }, 0.2).loss).toBeCloseTo(1.075, 6);
});

test('the gradient agrees with central differences', () => {
  expectGradient((at) => droLoss({ logprobs: at, ...tokens }, 0.2), logprobs);
});
