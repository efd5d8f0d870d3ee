// Defines an operator: its ONNX name, its shape rule, its gradient rule, and its forms on a GPU.
import { broadcastShapes, type Shape } from './dims.js';
import { GraphBuildError } from './errors.js';
import type { InferContext, Op, OpSpec, TensorType, Value } from './ir.js';

export function defineOp(opType: string, spec: OpSpec = {}): Op {
  return { domain: '', infer: inferElementwise, floatAttributes: [], ...spec, opType };
}

/** Infers the result's type and shape for operands of one type, which broadcast against each other as in NumPy. */
function inferElementwise({ inputs, fail }: InferContext): TensorType[] {
  const [first, ...others] = inputs;
  let shape: Shape = first!.shape;
  for (const other of others) {
    if (other.dtype !== first!.dtype) fail('operands must have the same type');
    shape = broadcastShapes(shape, other.shape) ?? fail('the shapes of the operands do not broadcast');
  }
  return [{ dtype: first!.dtype, shape }];
}

/** Infers the shape of an elementwise comparison, whose type is bool. */
export const inferComparison = (context: InferContext): TensorType[] => [
  { dtype: 'bool', shape: inferElementwise(context)[0]!.shape },
];

/** Infers that the result has the type and shape of the first operand. */
export const inferSame = ({ inputs: [x] }: InferContext): TensorType[] => [{ dtype: x!.dtype, shape: x!.shape }];

/** Converts an axis that may be negative, counted from the end, to 0…rank−1. */
export function positiveAxis(
  axis: number,
  rank: number,
  opType: string,
  operands: readonly (Value | undefined)[] = [],
): number {
  const positive = axis < 0 ? axis + rank : axis;
  if (!Number.isInteger(axis) || positive < 0 || positive >= rank)
    throw new GraphBuildError(opType, operands, `axis ${axis} is outside rank ${rank}`);
  return positive;
}
