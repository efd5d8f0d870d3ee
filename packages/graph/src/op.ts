// What an operator is: its ONNX name, how the shape of its result follows from its operands, and its backward rule.
import { broadcastShapes, type Shape } from './dims.js';
import type { DataType } from './dtype.js';
import { GraphBuildError } from './errors.js';
import type { GraphBuilder } from './builder.js';
import type { Attributes, Value } from './value.js';

export interface TensorType {
  dtype: DataType;
  shape: Shape;
}

/** What a shape rule sees. `fail` throws an error that names the operator and prints every operand. */
export interface InferContext {
  readonly inputs: readonly Value[];
  readonly attributes: Attributes;
  readonly fail: (problem: string) => never;
}

/** What a backward rule sees: y = op(...inputs), and the gradient of the loss by each output. */
export interface GradientContext {
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
  readonly attributes: Attributes;
  /** First output. */
  readonly y: Value;
  /** Gradient by the first output (zeros if only other outputs are used). */
  readonly dy: Value;
  /** Gradient by every output, undefined where the loss does not depend on it. */
  readonly dys: readonly (Value | undefined)[];
}

/**
 * Gradient by one input: a value of the input's shape; a function that adds the gradient into what other uses
 * have already contributed (sparse gradients: no dense tensor of zeros is made and added); null where there is none.
 */
export type InputGradient = Value | ((accumulated: Value | undefined) => Value) | null;

export type GradientRule = (g: GraphBuilder, context: GradientContext) => InputGradient[];

export interface OpSpec {
  /** '' is ONNX's own domain. */
  domain?: 'com.microsoft';
  /** Types of the outputs; elementwise with broadcasting if not given. */
  infer?: (context: InferContext) => TensorType[];
  /** Attributes stored as FLOAT. */
  floatAttributes?: readonly string[];
  /** One gradient per input; an operator without a rule stops with an error when a gradient must pass it. */
  gradient?: GradientRule;
}

export interface Op extends Required<Pick<OpSpec, 'infer' | 'floatAttributes'>> {
  readonly opType: string;
  readonly domain: '' | 'com.microsoft';
  readonly gradient?: GradientRule;
}

export function defineOp(opType: string, spec: OpSpec): Op {
  return {
    opType,
    domain: spec.domain ?? '',
    infer: spec.infer ?? inferElementwise,
    floatAttributes: spec.floatAttributes ?? [],
    gradient: spec.gradient,
  };
}

/** All operands of one type, shapes broadcast against each other as in NumPy. */
export function inferElementwise({ inputs, fail }: InferContext): TensorType[] {
  const [first, ...others] = inputs;
  let shape: Shape = first!.shape;
  for (const other of others) {
    if (other.dtype !== first!.dtype) fail('operands must have one type');
    shape = broadcastShapes(shape, other.shape) ?? fail('shapes do not broadcast');
  }
  return [{ dtype: first!.dtype, shape }];
}

/** As the elementwise result, but boolean. */
export const inferComparison = (context: InferContext): TensorType[] => [
  { dtype: 'bool', shape: inferElementwise(context)[0]!.shape },
];

/** Type and shape of the first operand. */
export const inferSame = ({ inputs: [x] }: InferContext): TensorType[] => [{ dtype: x!.dtype, shape: x!.shape }];

/** 0…rank−1 for an axis that may count from the end. */
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
