// A value whose gradient is given by hand, because its own operators have a gradient of zero or not the one that is wanted.
import type { OperatorMethods, Value } from './ir.js';
import { defineOp } from './op.js';

/**
 * Returns the value y, with a gradient that flows to x alone, by `gradientOf`, and not through the operators that compute y: a
 * straight-through estimator.
 * Source: Bengio et al. 2013 (arXiv:1308.3432), section 4.
 *
 * @param gradientOf gradient by y → gradient by x, of x's shape
 */
export function withGradient(
  g: OperatorMethods,
  y: Value,
  x: Value,
  gradientOf: (g: OperatorMethods, dy: Value) => Value,
): Value {
  const op = defineOp('Identity', {
    operands: 1,
    infer: ({ inputs: [value] }) => [{ dtype: value!.dtype, shape: value!.shape }],
    gradient: (methods, { dy }) => [null, gradientOf(methods, dy)],
  });
  return g.apply(op, [y, x])[0]!;
}
