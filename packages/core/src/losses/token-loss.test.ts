import { tokenWeights, weightedSum, type LossAggregation } from './token-loss.js';

// Two sequences of 2 and 6 tokens with the advantages +1 and −1: L = −Σ w A.
test.each<[LossAggregation, number]>([
  [{ kind: 'token_mean' }, 0.5], // −(2 − 6) / 8
  [{ kind: 'sequence_mean_token_mean' }, 0], // −(1 − 1) / 2
  [{ kind: 'sequence_mean_token_sum' }, 2], // −(2 − 6) / 2
  [{ kind: 'constant', divisor: 8 }, 0.25], // −(2 − 6) / (2 · 8)
])('%j: the loss is %f', (aggregation, expected) => {
  const advantages = Float32Array.of(1, 1, -1, -1, -1, -1, -1, -1);
  const loss = -tokenWeights([2, 6], aggregation).reduce((sum, weight, t) => sum + weight * advantages[t], 0);
  expect(loss).toBeCloseTo(expected, 7);
});

test('a batch without tokens is refused', () => {
  expect(() => tokenWeights([0, 0], { kind: 'token_mean' })).toThrow(
    'tokenWeights: 2 sequences have no token of the agent',
  );
});

test('losses add with their coefficients, the entropy term among them', () => {
  const policy = { loss: 1, gradient: Float32Array.of(1, 2) };
  const bonus = { loss: 3, gradient: Float32Array.of(0, 0), entropyGradient: Float32Array.of(-1, -2) };
  expect(weightedSum({ loss: policy, coefficient: 2 }, { loss: bonus, coefficient: 0.5 })).toEqual({
    loss: 2 * 1 + 0.5 * 3,
    gradient: Float32Array.of(2, 4),
    entropyGradient: Float32Array.of(-0.5, -1),
  });
  const short = { loss: 0, gradient: Float32Array.of(0) };
  expect(() => weightedSum({ loss: policy, coefficient: 1 }, { loss: short, coefficient: 1 })).toThrow(
    'weightedSum: the arrays differ in length (gradient 2, a later gradient 1); all must be [N]',
  );
});
