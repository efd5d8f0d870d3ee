// Defines the operators of two or three operands that broadcast against each other: arithmetic, comparison, choice. The gradient
// by an operand that was broadcast is the sum over its copies (`sumTo`).
import { broadcastShapes } from '../dims.js';
import type { Float16Form, GraphNode } from '../ir.js';
import { defineOp, inferComparison } from '../op.js';

export const Add = defineOp('Add', {
  webgpu: 'int32',
  gradient: (g, { inputs: [a, b], dy }) => [g.sumTo(dy, a!.shape), g.sumTo(dy, b!.shape)],
});

export const Sub = defineOp('Sub', {
  webgpu: 'int32',
  gradient: (g, { inputs: [a, b], dy }) => [g.sumTo(dy, a!.shape), g.neg(g.sumTo(dy, b!.shape))],
});

/** Returns the float16 form of a product: float32 for a square, since squares overflow float16 from 256 on. */
function squarePrecision({ inputs: [a, b] }: GraphNode): Float16Form {
  return a === b ? 'float32' : 'operands';
}

export const Mul = defineOp('Mul', {
  webgpu: 'int32',
  float16: squarePrecision,
  // The gradients follow from the product rule: d(a b) = b da + a db.
  gradient: (g, { inputs: [a, b], dy }) => [g.sumTo(g.mul(dy, b!), a!.shape), g.sumTo(g.mul(dy, a!), b!.shape)],
});

export const Div = defineOp('Div', {
  webgpu: 'int32',
  float16: 'float32',
  // d(a/b) = da / b − (a/b) db / b
  gradient: (g, { inputs: [a, b], y, dy }) => {
    const da = g.div(dy, b!);
    return [g.sumTo(da, a!.shape), g.neg(g.sumTo(g.mul(da, y), b!.shape))];
  },
});

export const Pow = defineOp('Pow', {
  float16: 'float32',
  // d(aᵇ) = b aᵇ⁻¹ da + aᵇ ln a db
  gradient: (g, { inputs: [a, b], y, dy }) => {
    const da = g.mul(dy, g.mul(b!, g.pow(a!, g.sub(b!, 1))));
    return [
      g.sumTo(da, a!.shape),
      b!.kind === 'initializer' ? null : g.sumTo(g.mul(dy, g.mul(y, g.log(a!))), b!.shape),
    ];
  },
});

export const Max = defineOp('Max', {
  // The gradient goes to the larger operand; if both are equal, to the first.
  gradient: (g, { inputs: [a, b], dy }) => {
    const second = g.less(a!, b!);
    return [g.sumTo(g.where(second, 0, dy), a!.shape), g.sumTo(g.where(second, dy, 0), b!.shape)];
  },
});

export const Min = defineOp('Min', {
  // The gradient goes to the smaller operand; if both are equal, to the first.
  gradient: (g, { inputs: [a, b], dy }) => {
    const second = g.greater(a!, b!);
    return [g.sumTo(g.where(second, 0, dy), a!.shape), g.sumTo(g.where(second, dy, 0), b!.shape)];
  },
});

/** Computes the remainder of integers; used only for indices and counters. */
export const Mod = defineOp('Mod');

const defineComparison = (opType: string) => defineOp(opType, { webgpu: 'int32', infer: inferComparison });

export const Equal = defineComparison('Equal');
export const Less = defineComparison('Less');
export const LessOrEqual = defineComparison('LessOrEqual');
export const Greater = defineComparison('Greater');
export const GreaterOrEqual = defineComparison('GreaterOrEqual');
export const And = defineOp('And');
export const Or = defineOp('Or');
export const Not = defineOp('Not');

export const Where = defineOp('Where', {
  webgpu: 'int32',
  infer: ({ inputs: [condition, a, b], fail }) => {
    if (condition!.dtype !== 'bool') fail('the condition must be bool');
    if (a!.dtype !== b!.dtype) fail('both choices must have the same type');
    const choices = broadcastShapes(a!.shape, b!.shape) ?? fail('the shapes of the choices do not broadcast');
    return [
      {
        dtype: a!.dtype,
        shape: broadcastShapes(condition!.shape, choices) ?? fail('the condition does not broadcast to the choices'),
      },
    ];
  },
  // Each of a and b gets the gradient at the elements at which it was chosen, and zero elsewhere.
  gradient: (g, { inputs: [condition, a, b], dy }) => [
    null,
    g.sumTo(g.where(condition!, dy, 0), a!.shape),
    g.sumTo(g.where(condition!, 0, dy), b!.shape),
  ],
});
