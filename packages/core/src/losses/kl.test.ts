import { expectGradient } from '../../test/central-differences.js';
import { klEstimate, klPenalty, type KlEstimator } from './kl.js';

// d = refLogprob − logprob
test.each<[KlEstimator, number, number]>([
  ['k1', -0.5, 0.5],
  ['k2', -0.5, 0.125],
  ['k3', -0.5, 0.106531], // e^−0.5 + 0.5 − 1
  ['k1', 0.5, -0.5],
  ['k2', 0.5, 0.125],
  ['k3', 0.5, 0.148721], // e^0.5 − 0.5 − 1
  ['k3', 5, 10], // e^5 − 6 = 142.4, cut off
])('%s of d = %d is %d', (estimator, d, expected) => {
  expect(klEstimate(-1, -1 + d, estimator)).toBeCloseTo(expected, 6);
});

test.each<KlEstimator>(['k1', 'k2', 'k3'])('%s: the gradient agrees with central differences', (estimator) => {
  const rest = { refLogprobs: Float32Array.of(-1.5, -0.5, 4), weights: Float32Array.of(0.5, 0.3, 0.2) };
  expectGradient((logprobs) => klPenalty({ logprobs, ...rest }, estimator), Float32Array.of(-1, -1, -1));
});

test('equal policies have no KL and, with k2 and k3, no gradient', () => {
  const logprobs = Float32Array.of(-1);
  for (const estimator of ['k2', 'k3'] as const)
    expect(klPenalty({ logprobs, refLogprobs: logprobs, weights: Float32Array.of(1) }, estimator)).toMatchObject({
      loss: 0,
    });
});
