// A value whose gradient is given by hand, where that of the operators which compute it is flat or not the one that is wanted.
import type { OperatorMethods, Value } from './ir.js';
import { defineOp } from './op.js';

/**
 * y, for which gradients flow to x alone, by `gradientOf`, and not through what y is computed from: straight-through estimators.
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
