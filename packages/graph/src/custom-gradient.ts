// Gives a value of a graph a custom gradient, for operators whose own gradient is zero or not the desired one.
import type { OperatorMethods, Value } from './ir.js';
import { defineOp } from './op.js';

/**
 * Returns the value y with a custom gradient by x, which `gradientOf` computes; no gradient flows through the operators that compute y
 * (a straight-through estimator).
 * Source: Bengio et al. 2013 (arXiv:1308.3432), section 4.
 *
 * @param gradientOf maps the gradient by y to the gradient by x, which has x's shape
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
