import { centralDifferences, expectGradient } from '../../test/central-differences.js';
import { entropyBonus, policyGradientLoss } from './policy-gradient.js';

const advantages = Float32Array.of(2, -1);
const weights = Float32Array.of(0.5, 0.25);

test('a token is pushed up by its advantage: −(½ · 2 · −1) − (¼ · −1 · −3)', () => {
  const logprobs = Float32Array.of(-1, -3);
  const { loss, gradient } = policyGradientLoss({ logprobs, advantages, weights });
  expect(loss).toBe(1 - 0.75);
  expect([...gradient]).toEqual([-1, 0.25]);
  expectGradient((at) => policyGradientLoss({ logprobs: at, advantages, weights }), logprobs);
});

test('the entropy bonus lowers the loss by the weighted entropy', () => {
  const entropies = Float32Array.of(1, 2);
  const { loss, gradient, entropyGradient } = entropyBonus(entropies, weights);
  expect(loss).toBe(-(0.5 * 1 + 0.25 * 2));
  expect([...gradient]).toEqual([0, 0]);
  const slopes = centralDifferences((at) => entropyBonus(at, weights).loss, entropies);
  slopes.forEach((slope, t) => expect(entropyGradient[t]).toBeCloseTo(slope, 4));
});

test('arrays of different length are refused with their lengths', () => {
  expect(() => policyGradientLoss({ logprobs: new Float32Array(3), advantages, weights })).toThrow(
    'policyGradientLoss: the arrays differ in length (logprobs 3, advantages 2, weights 2); all must be [N]',
  );
});
