import { expectGradient } from '../../test/central-differences.js';
import { tdLoss, tdTargets } from './td.js';

test('a turn that continues bootstraps, a terminated one does not', () => {
  const targets = tdTargets([-1, -1], [false, true], Float32Array.of(-4, -4), 0.95);
  expect([...targets]).toEqual([Math.fround(-1 + 0.95 * -4), -1]); // −4.8 and −1
});

test('arrays of different length are refused with their lengths', () => {
  expect(() => tdTargets([-1], [false], Float32Array.of(0, 0), 0.95)).toThrow(
    'tdTargets: rewards has 1 entries, terminated 1, nextValues 2; all must be [batch]',
  );
});

test('squared error: half of (1 − 3)² and half of (0 − 1)²', () => {
  const [values, targets, weights] = [Float32Array.of(1, 0), Float32Array.of(3, 1), Float32Array.of(0.5, 0.5)];
  const { loss, gradient } = tdLoss(values, targets, weights);
  expect(loss).toBe(0.5 * 4 + 0.5 * 1);
  expect([...gradient]).toEqual([-2, -1]); // 2 · ½ · (1 − 3) and 2 · ½ · (0 − 1)
  expectGradient((at) => tdLoss(at, targets, weights), values);
});
