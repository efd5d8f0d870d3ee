// Defines reductions over axes, running sums, and selections along an axis (ArgMax, TopK).
// The axes are a constant operand, as in ONNX since opset 18.
import { sizeOfShape, type Dim, type Shape } from '../dims.js';
import type { GradientContext, GraphNode, InferContext, OperatorMethods, TensorType, Value } from '../ir.js';
import { defineOp, inferSame } from '../op.js';

/** Returns the shape without the reduced axes, or with size 1 for them. */
function reducedShape(shape: Shape, axes: readonly number[], keepdims: boolean): Dim[] {
  return keepdims ? shape.map((dim, i) => (axes.includes(i) ? 1 : dim)) : shape.filter((_, i) => !axes.includes(i));
}

const axesOf = (axes: Value): number[] => Array.from(axes.data as BigInt64Array, Number);

const inferReduction = ({ inputs: [x, axes], attributes }: InferContext): TensorType[] => [
  { dtype: x!.dtype, shape: reducedShape(x!.shape, axesOf(axes!), attributes.keepdims === 1) },
];

/** Reshapes y or dy so that the reduced axes have size 1 and it broadcasts against x. */
const withAxes = (g: OperatorMethods, value: Value, { inputs: [x, axes] }: GradientContext) =>
  g.reshape(value, reducedShape(x!.shape, axesOf(axes!), true));

/** The largest number of elements that are summed in one stage on WebGPU. */
const LONGEST_SUM = 1 << 14;

/** The least and largest width of rows that are summed as they are; others are reshaped to a width that is a power of two. */
const [NARROWEST_ROW, WIDEST_ROW] = [64, 4096];

/**
 * Sums over all elements in two stages. ONNX Runtime's WebGPU provider (1.30) computes each result in one workgroup, so first the rows
 * are summed in several workgroups, and then their sums. Returns undefined for other sums, and if the size is small or unknown.
 */
function sumInTwoStages(g: OperatorMethods, [x, axes]: readonly Value[], node: GraphNode): Value | undefined {
  const size = sizeOfShape(x!.shape);
  if (typeof size !== 'number' || size <= LONGEST_SUM || axesOf(axes!).length < x!.rank) return undefined;
  const columns = x!.dim(-1) as number;
  const isInRows = columns >= NARROWEST_ROW && columns <= WIDEST_ROW;
  const width = isInRows ? columns : Math.min(WIDEST_ROW, largestPowerOfTwoIn(size));
  if (width < NARROWEST_ROW) return undefined;
  const rows = g.reshape(x!, [size / width, width]);
  const options = { axes: [1] };
  const sums = node.op === ReduceSum ? g.reduceSum(rows, options) : g.reduceSumSquare(rows, options);
  return g.reshape(g.reduceSum(sums), node.outputs[0]!.shape);
}

const largestPowerOfTwoIn = (size: number): number => size & -size;

export const ReduceSum = defineOp('ReduceSum', {
  webgpu: sumInTwoStages,
  float16: 'float32',
  infer: inferReduction,
  // Every summand gets the whole gradient of the sum.
  gradient: (g, context) => [g.expand(withAxes(g, context.dy, context), context.inputs[0]!.shape), null],
});

export const ReduceMean = defineOp('ReduceMean', {
  float16: 'float32',
  infer: inferReduction,
  // Every element gets dy divided by the number of elements over which the mean is taken.
  gradient: (g, context) => {
    const [x, axes] = context.inputs;
    const count = g.sizeAsFloat(
      axesOf(axes!).map((axis) => x!.dim(axis)),
      x!.dtype,
    );
    return [g.expand(withAxes(g, g.div(context.dy, count), context), x!.shape), null];
  },
});

/** Computes the gradient of a maximum or minimum: it is divided equally among the elements that attain it. */
function extremumGradient(g: OperatorMethods, context: GradientContext) {
  const [x, axes] = context.inputs;
  const attained = g.cast(g.equal(x!, withAxes(g, context.y, context)), x!.dtype);
  const count = g.reduceSum(attained, { axes: axesOf(axes!), keepdims: true });
  return [g.mul(attained, g.div(withAxes(g, context.dy, context), count)), null];
}

export const ReduceMax = defineOp('ReduceMax', {
  float16: 'float32',
  infer: inferReduction,
  gradient: extremumGradient,
});
export const ReduceMin = defineOp('ReduceMin', {
  float16: 'float32',
  infer: inferReduction,
  gradient: extremumGradient,
});

export const ReduceSumSquare = defineOp('ReduceSumSquare', {
  webgpu: sumInTwoStages,
  float16: 'float32',
  infer: inferReduction,
  // d Σx² = 2x dx
  gradient: (g, context) => [g.mul(g.mul(context.inputs[0]!, 2), withAxes(g, context.dy, context)), null],
});

export const ReduceLogSumExp = defineOp('ReduceLogSumExp', {
  float16: 'float32',
  infer: inferReduction,
  // d ln Σ eˣ = softmax(x) dx = exp(x − y) dx
  gradient: (g, context) => [
    g.mul(g.exp(g.sub(context.inputs[0]!, withAxes(g, context.y, context))), withAxes(g, context.dy, context)),
    null,
  ],
});

export const CumSum = defineOp('CumSum', {
  float16: 'float32',
  infer: inferSame,
  // Element i is a summand of every later sum, so its gradient is a running sum from the other end.
  gradient: (g, { inputs: [, axis], dy, attributes }) => [
    g.apply(CumSum, [dy, axis], { exclusive: attributes.exclusive!, reverse: 1 - (attributes.reverse as number) })[0]!,
    null,
  ],
});

const inferArg = ({ inputs: [x], attributes }: InferContext): TensorType[] => [
  { dtype: 'int64', shape: reducedShape(x!.shape, [attributes.axis as number], attributes.keepdims === 1) },
];

/**
 * Returns the first index of the largest element as int32, since the WebGPU provider's ArgMax returns int64, which its other operators
 * do not accept.
 *
 *     min over i of (i where x[i] = max x, else n − 1)
 *
 * It computes in float32, which is exact below 2²⁴, because the provider has no minimum of integers. Returns undefined if the size of
 * the axis is not known.
 */
function argMaxInInt32(g: OperatorMethods, [x]: readonly Value[], { attributes }: GraphNode): Value | undefined {
  const axis = attributes.axis as number;
  const size = x!.dim(axis);
  if (typeof size !== 'number') return undefined;
  const positions = Float32Array.from({ length: size }, (_, i) => i);
  const shape = x!.shape.map((_, i) => (i === axis ? size : 1));
  // The maximum is computed without `keepdims`, so that it is the same node, and computed once, as the maximum in the
  // log-probabilities of samplers.
  const isLargest = g.greaterOrEqual(x!, g.unsqueeze(g.reduceMax(x!, { axes: [axis] }), axis));
  const candidates = g.where(isLargest, g.constant(positions, shape), size - 1);
  return g.cast(g.reduceMin(candidates, { axes: [axis], keepdims: attributes.keepdims === 1 }), 'int32');
}

export const ArgMax = defineOp('ArgMax', {
  webgpu: argMaxInInt32,
  infer: inferArg,
});
export const ArgMin = defineOp('ArgMin', {
  infer: inferArg,
});

/** Selects the k largest (or smallest) elements along an axis. Outputs: values, then int64 indices. */
export const TopK = defineOp('TopK', {
  // `GraphBuilder.topK` replaces these shapes, since the size along the axis is k, which is a value.
  infer: ({ inputs: [x] }) => [
    { dtype: x!.dtype, shape: x!.shape },
    { dtype: 'int64', shape: x!.shape },
  ],
  // The gradient of each selected value goes to the position from which the value was taken.
  gradient: (g, { inputs: [x], outputs: [, indices], dy, attributes }) => [
    g.scatterElementsAdd(g.zeros(x!.shape, x!.dtype), indices!, dy, attributes.axis as number),
    null,
  ],
});
