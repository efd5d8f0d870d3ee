import { centralDifferences } from '../../test/central-differences.js';
import { entropyBonus } from './entropy-bonus.js';

const weights = Float32Array.of(0.5, 0.25);

test('the entropy bonus lowers the loss by the weighted entropy', () => {
  const entropies = Float32Array.of(1, 2);
  const { loss, gradient, entropyGradient } = entropyBonus(entropies, weights);
  expect(loss).toBe(-(0.5 * 1 + 0.25 * 2));
  expect([...gradient]).toEqual([0, 0]);
  const slopes = centralDifferences((at) => entropyBonus(at, weights).loss, entropies);
  slopes.forEach((slope, t) => expect(entropyGradient[t]).toBeCloseTo(slope, 4));
});

test('arrays of different length are refused with their lengths', () => {
  expect(() => entropyBonus(new Float32Array(3), weights)).toThrow(
    'entropyBonus: the arrays differ in length (entropies 3, weights 2); all must be [N]',
  );
});
