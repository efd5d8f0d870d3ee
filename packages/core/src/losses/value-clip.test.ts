import { expectGradient } from '../../test/central-differences.js';
import { clippedValueLoss } from './value-clip.js';

const one = Float32Array.of(1);
const lossOf = (value: number, oldValue: number, target: number) =>
  clippedValueLoss(
    {
      values: Float32Array.of(value),
      oldValues: Float32Array.of(oldValue),
      returns: Float32Array.of(target),
      weights: one,
    },
    { clipRange: 0.25 },
  );

test('inside the interval it is half the squared error', () => {
  expect(lossOf(0.25, 0, 1)).toEqual({ loss: 0.5 * 0.75 ** 2, gradient: Float32Array.of(-0.75), clipFraction: 0 });
});

test('a value that moved too far towards its return has the error of the bound, and no gradient', () => {
  expect(lossOf(0.5, 0, 1)).toEqual({ loss: 0.5 * 0.75 ** 2, gradient: Float32Array.of(0), clipFraction: 1 });
});

test('a value that moved too far away from its return has its own error', () => {
  expect(lossOf(-0.5, 0, 1)).toEqual({ loss: 0.5 * 1.5 ** 2, gradient: Float32Array.of(-1.5), clipFraction: 1 });
});

test('the gradient agrees with central differences', () => {
  const rest = {
    oldValues: Float32Array.of(0, 0, 1, 1),
    returns: Float32Array.of(1, 1, -1, 3),
    weights: Float32Array.of(0.1, 0.2, 0.3, 0.4),
  };
  const values = Float32Array.of(0.1, 0.6, 0.5, 1.1);
  expectGradient((at) => clippedValueLoss({ values: at, ...rest }, { clipRange: 0.25 }), values);
});
