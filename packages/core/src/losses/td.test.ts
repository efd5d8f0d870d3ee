import { expectGradient } from '../../test/central-differences.js';
import { tdLoss } from './td.js';

test('squared error: half of (1 − 3)² and half of (0 − 1)²', () => {
  const [values, targets, weights] = [Float32Array.of(1, 0), Float32Array.of(3, 1), Float32Array.of(0.5, 0.5)];
  const { loss, gradient } = tdLoss(values, targets, weights);
  expect(loss).toBe(0.5 * 4 + 0.5 * 1);
  expect([...gradient]).toEqual([-2, -1]); // 2 · ½ · (1 − 3) and 2 · ½ · (0 − 1)
  expectGradient((at) => tdLoss(at, targets, weights), values);
});

test('arrays of different length are refused with their lengths', () => {
  expect(() => tdLoss(new Float32Array(2), new Float32Array(1), new Float32Array(2))).toThrow(
    'tdLoss: the arrays differ in length (values 2, targets 1, weights 2); all must be [N]',
  );
});
