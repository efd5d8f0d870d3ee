// Holds samples of every operator, for the tests in Node and in a web page: samples of its gradient, or one through which a gradient
// is refused. An operator that is added to src/ops without a sample here does not compile.
import type { GraphBuilder } from '../src/builder.js';
import type { GradientSample } from '../src/check-gradients.js';
import type { Shape } from '../src/dims.js';
import type { DataType } from '../src/dtype.js';
import type { Value } from '../src/ir.js';
import type * as arithmetic from '../src/ops/arithmetic.js';
import type * as elementwise from '../src/ops/elementwise.js';
import type * as indexing from '../src/ops/indexing.js';
import type * as matrix from '../src/ops/matrix.js';
import type * as normalization from '../src/ops/normalization.js';
import type * as quantized from '../src/ops/quantized.js';
import type * as recurrence from '../src/ops/recurrence.js';
import type * as reduce from '../src/ops/reduce.js';
import type * as shape from '../src/ops/shape.js';

type OperatorName =
  | keyof typeof arithmetic
  | keyof typeof elementwise
  | keyof typeof indexing
  | keyof typeof matrix
  | keyof typeof normalization
  | keyof typeof quantized
  | keyof typeof recurrence
  | keyof typeof reduce
  | keyof typeof shape;

type Inputs = GradientSample['inputs'];
type Tensor = Inputs[string];
export interface OperatorSample {
  inputs: Inputs;
  build: (g: GraphBuilder, x: Record<string, Value>) => Value | Value[];
}
/** `flat` is for operators with integer or boolean results, through which a gradient is refused. */
export type Samples = OperatorSample[] | { flat: OperatorSample };

const sizes: Record<string, number> = { batch: 2, tokens: 3 };

/** Makes a tensor of spread-out values without ties, away from the kinks at 0. Symbols get the sizes above. */
function tensor(of: Shape, value: (i: number) => number = (i) => 1.2 * Math.sin(2.7 * i + 0.6) + 0.013 * i): Tensor {
  const dims = of.map((dim) => (typeof dim === 'number' ? dim : sizes[dim]!));
  const length = dims.reduce((a, b) => a * b, 1);
  return { shape: of, dims, data: Float32Array.from({ length }, (_, i) => value(i)) };
}
const positive = (of: Shape) => tensor(of, (i) => 0.7 + 0.31 * ((i * 7) % 5) + 0.01 * i);
const indices = (of: Shape, values: number[], dtype: DataType = 'int64'): Tensor => ({
  ...tensor(of),
  data: dtype === 'int64' ? BigInt64Array.from(values, BigInt) : Int32Array.from(values),
  dtype,
});

const unary = (build: (g: GraphBuilder, x: Value) => Value, x = tensor([2, 3])): OperatorSample => ({
  inputs: { x },
  build: (g, { x }) => build(g, x!),
});
const binary = (build: (g: GraphBuilder, a: Value, b: Value) => Value, a: Tensor, b: Tensor): OperatorSample => ({
  inputs: { a, b },
  build: (g, { a, b }) => build(g, a!, b!),
});
/** Samples an operator with equal shapes, a broadcast row, a broadcast column on the left and symbolic dimensions. */
const broadcasts = (build: (g: GraphBuilder, a: Value, b: Value) => Value, make = tensor): OperatorSample[] => [
  binary(build, make([2, 3]), positive([2, 3])),
  binary(build, make([2, 3]), positive([3])),
  binary(build, make([2, 1]), positive([4, 1, 3])),
  binary(build, make(['batch', 'tokens', 2]), positive(['tokens', 1])),
];
/** Samples a reduction over all axes, some axes with and without keepdims, negative axes and symbolic dimensions. */
const reductions = (
  build: (g: GraphBuilder, x: Value, options?: { axes?: number[]; keepdims?: boolean }) => Value,
): OperatorSample[] => [
  unary((g, x) => build(g, x)),
  unary((g, x) => build(g, x, { axes: [1] }), tensor([2, 3, 2])),
  unary((g, x) => build(g, x, { axes: [0, -1], keepdims: true }), tensor([2, 3, 2])),
  unary((g, x) => build(g, x, { axes: [1] }), tensor(['batch', 'tokens', 2])),
];
const flat = (build: (g: GraphBuilder, x: Value) => Value): Samples => ({ flat: unary(build) });
const one = (build: (g: GraphBuilder, x: Value) => Value, x?: Tensor): OperatorSample[] => [unary(build, x)];

export const operatorSamples: Record<OperatorName, Samples> = {
  Add: broadcasts((g, a, b) => g.add(a, b)),
  Sub: broadcasts((g, a, b) => g.sub(a, b)),
  Mul: broadcasts((g, a, b) => g.mul(a, b)),
  Div: broadcasts((g, a, b) => g.div(a, b)),
  Pow: [...broadcasts((g, a, b) => g.pow(a, b), positive), unary((g, x) => g.pow(x, 3))],
  Max: broadcasts((g, a, b) => g.max(a, b)),
  Min: broadcasts((g, a, b) => g.min(a, b)),
  Mod: { flat: unary((g, x) => g.mod(g.cast(g.mul(x, 10), 'int64'), 3)) },
  Equal: flat((g, x) => g.equal(x, 1)),
  Less: flat((g, x) => g.less(x, 0.5)),
  LessOrEqual: flat((g, x) => g.lessOrEqual(x, 0.5)),
  Greater: flat((g, x) => g.greater(x, 0.5)),
  GreaterOrEqual: flat((g, x) => g.greaterOrEqual(x, 0.5)),
  And: flat((g, x) => g.and(g.less(x, 1), g.greater(x, 0))),
  Or: flat((g, x) => g.or(g.less(x, 0), g.greater(x, 1))),
  Not: flat((g, x) => g.not(g.less(x, 0))),
  Where: [
    ...broadcasts((g, a, b) => g.where(g.less(b, 1.3), a, b)),
    unary((g, x) => g.where(g.greater(x, 0.2), g.mul(x, 3), -1)),
  ],

  Identity: one((g, x) => g.identity(x)),
  Neg: one((g, x) => g.neg(x)),
  Exp: one((g, x) => g.exp(x)),
  Log: one((g, x) => g.log(x), positive([2, 3])),
  Sqrt: one((g, x) => g.sqrt(x), positive([2, 3])),
  Reciprocal: one((g, x) => g.reciprocal(x), positive([2, 3])),
  Abs: one((g, x) => g.abs(x)),
  Sin: one((g, x) => g.sin(x)),
  Cos: one((g, x) => g.cos(x)),
  Tanh: one((g, x) => g.tanh(x)),
  Sigmoid: one((g, x) => g.sigmoid(x)),
  Erf: one((g, x) => g.erf(x)),
  Relu: one((g, x) => g.relu(x)),
  Softplus: one((g, x) => g.softplus(x)),
  Sign: flat((g, x) => g.sign(x)),
  Floor: flat((g, x) => g.floor(x)),
  StopGradient: flat((g, x) => g.stopGradient(x)),
  Gelu: [unary((g, x) => g.gelu(x, 'none')), unary((g, x) => g.gelu(x, 'tanh'))],
  Cast: one((g, x) => g.cast(g.cast(x, 'float64'), 'float32')),

  MatMul: [
    binary((g, a, b) => g.matMul(a, b), tensor([2, 3]), tensor([3, 4])),
    binary((g, a, b) => g.matMul(a, b), tensor(['batch', 'tokens', 4]), tensor([4, 2])), // one weight for all rows
    binary((g, a, b) => g.matMul(a, b), tensor(['batch', 2, 3, 2]), tensor(['batch', 2, 2, 3])),
    binary((g, a, b) => g.matMul(a, b), tensor([3, 2]), tensor([2, 2, 4])), // the left operand broadcasts
    binary((g, a, b) => g.matMul(a, b), tensor([2, 1, 3, 2]), tensor([1, 2, 2, 2])),
  ],
  FusedMatMul: [
    binary((g, a, b) => g.fusedMatMul(a, b, { transB: true, alpha: 0.5 }), tensor([2, 3]), tensor([4, 3])),
    binary((g, a, b) => g.fusedMatMul(a, b, { transA: true }), tensor([3, 2]), tensor([3, 4])),
    binary((g, a, b) => g.fusedMatMul(a, b, { transA: true, transB: true, alpha: 2 }), tensor([3, 2]), tensor([4, 3])),
    binary((g, a, b) => g.fusedMatMul(a, b, { transB: true }), tensor(['batch', 'tokens', 4]), tensor([2, 4])),
    binary(
      (g, a, b) => g.fusedMatMul(a, b, { transB: true, alpha: 3 }),
      tensor(['batch', 2, 3, 2]),
      tensor(['batch', 2, 3, 2]),
    ),
    binary((g, a, b) => g.fusedMatMul(a, b, { transA: true }), tensor(['batch', 3, 2]), tensor([3, 4])),
  ],
  Gemm: [
    binary((g, a, b) => g.gemm(a, b, undefined, { transA: true, alpha: 0.5 }), tensor([3, 2]), tensor([3, 4])),
    {
      inputs: { a: tensor(['batch', 3]), b: tensor([4, 3]), c: tensor([4]) },
      build: (g, { a, b, c }) => g.gemm(a!, b!, c, { transB: true, beta: 0.7 }),
    },
  ],

  MatMulNBits: (
    [
      [4, 2, 'middle'],
      [8, 2, 'middle'],
      [4, 2, 'zero points'],
      [4, 3, 'zero points'], // a row of zero points ends in the middle of a byte
      [8, 3, 'zero points'],
    ] as const
  ).map(([bits, blocks, kind]) =>
    unary(
      (g, x) => {
        const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => (37 * i + 11) % 256);
        const packed = g.initializer('packed', bytes((3 * 32 * blocks * bits) / 8), [3, blocks, 4 * bits], 'uint8');
        const scale = Float32Array.from({ length: 3 * blocks }, (_, i) => (i + 1) / (100 * bits));
        const scales = g.initializer('scales', scale, [3, blocks]);
        const row = Math.ceil((blocks * bits) / 8);
        const zeroPoints =
          kind === 'middle' ? undefined : g.initializer('zero_points', bytes(3 * row), [3, row], 'uint8');
        return g.quantizedMatMul(x, packed, scales, { bits, blockSize: 32, zeroPoints });
      },
      tensor(['batch', 32 * blocks]),
    ),
  ),
  DequantizeLinear: {
    flat: unary((g, x) => {
      const numbers = g.initializer('numbers', Uint8Array.of(1, 2, 3, 4, 5, 6), [2, 3], 'uint8');
      const zeros = g.initializer('zeros', new Uint8Array(6).fill(128), [2, 3], 'uint8');
      return g.dequantizeLinear(numbers, x, zeros, { axis: 1, blockSize: 1 });
    }),
  },
  QuantizeLinear: { flat: unary((g, x) => g.quantizeLinear(x, 0.1, 128)) },
  MatMulIntegerToFloat: {
    flat: unary((g, x) => {
      const numbers = g.initializer('numbers', Int8Array.of(1, -2, 3, 4, 5, -6), [3, 2], 'int8');
      return g.integerMatMul(g.quantizeLinear(x, 0.1, 128), numbers, g.reduceSum(x, { axes: [1] }), 128);
    }),
  },

  Reshape: [
    unary((g, x) => g.reshape(x, [3, -1])),
    unary(
      (g, x) => g.reshape(g.reshape(x, ['batch*tokens', 2]), ['batch', 2, 'tokens']),
      tensor(['batch', 'tokens', 2]),
    ),
  ],
  Squeeze: one((g, x) => g.squeeze(x, 1), tensor(['batch', 1, 3])),
  Unsqueeze: one((g, x) => g.unsqueeze(x, -1), tensor(['batch', 3])),
  Expand: [
    unary((g, x) => g.expand(x, [4, 2, 3]), tensor([2, 1])),
    unary((g, x) => g.expand(x, ['batch', 'tokens', 2]), tensor(['batch', 'tokens', 1])),
  ],
  Transpose: one((g, x) => g.transpose(x, [2, 0, 1]), tensor(['batch', 3, 2])),
  Concat: [binary((g, a, b) => g.concat([a, b, a], 1), tensor(['batch', 2]), tensor(['batch', 1]))],
  Split: [
    unary((g, x) => g.concat(g.split(x, -1, 3).reverse(), 0), tensor(['batch', 6])),
    unary((g, x) => g.split(x, 0, [1, 3])[1]!, tensor([4, 2])), // the other piece is unused
    { inputs: { x: tensor(['batch', 4]) }, build: (g, { x }) => g.split(x!, 1, [1, 3]) },
  ],
  Slice: [
    unary((g, x) => g.slice(x, 1, 1, 3), tensor([2, 4])),
    unary((g, x) => g.slice(x, 0, -2), tensor([4, 2])),
    unary((g, x) => g.slice(x, 1, 1), tensor(['batch', 'tokens', 2])),
  ],
  Pad: [unary((g, x) => g.pad(x, 1, 1, 2, 0.5)), unary((g, x) => g.pad(x, 0, 'batch', 0), tensor(['batch', 2]))],
  Tile: one((g, x) => g.tile(x, [3, 1, 2]), tensor(['batch', 2, 2])),
  ShapeOf: { flat: unary((g, x) => g.dimsTensor(x.shape), tensor(['batch', 3])) },
  Range: { flat: unary((g, x) => g.range(x.dim(0)), tensor(['batch', 3])) },
  Trilu: [
    unary((g, x) => g.triangle(x), tensor([3, 3])),
    unary((g, x) => g.triangle(x, { upper: true, diagonal: 1 }), tensor(['batch', 3, 3])),
  ],

  ReduceSum: reductions((g, x, options) => g.reduceSum(x, options)),
  ReduceMean: reductions((g, x, options) => g.reduceMean(x, options)),
  ReduceMax: reductions((g, x, options) => g.reduceMax(x, options)),
  ReduceMin: reductions((g, x, options) => g.reduceMin(x, options)),
  ReduceSumSquare: reductions((g, x, options) => g.reduceSumSquare(x, options)),
  ReduceLogSumExp: reductions((g, x, options) => g.reduceLogSumExp(x, options)),
  CumSum: [
    unary((g, x) => g.cumSum(x, 1)),
    unary((g, x) => g.cumSum(x, 0, { exclusive: true, reverse: true }), tensor(['batch', 3])),
  ],
  ArgMax: flat((g, x) => g.argMax(x, 1)),
  ArgMin: flat((g, x) => g.argMin(x, 0, { keepdims: true })),
  TopK: [
    unary((g, x) => g.topK(x, 2)[0], tensor([2, 4])),
    unary((g, x) => g.topK(x, 2, 1, { largest: false })[0], tensor(['batch', 4, 2])),
  ],

  Gather: [
    { inputs: { x: tensor([4, 2]), i: indices([2, 3], [1, 3, 1, 1, 0, 3]) }, build: (g, { x, i }) => g.gather(x!, i!) }, // repeated rows add up
    {
      inputs: { x: tensor(['batch', 4, 2]), i: indices([3], [2, 2, 0], 'int32') },
      build: (g, { x, i }) => g.gather(x!, i!, 1),
    },
    {
      inputs: { x: tensor([3, 2]), i: indices(['batch'], [2, 2]) },
      build: (g, { x, i }) => [g.matMul(g.gather(x!, i!), g.transpose(x!, [1, 0]))],
    }, // the table is used twice, like tied embeddings
    { inputs: { x: tensor([3, 4]), i: indices([], [2]) }, build: (g, { x, i }) => g.gather(x!, i!, 1) },
  ],
  GatherElements: [
    {
      inputs: { x: tensor([2, 4]), i: indices([2, 3], [1, 1, 3, 0, 2, 0]) },
      build: (g, { x, i }) => g.gatherElements(x!, i!, 1),
    },
  ],
  GatherND: [
    {
      inputs: { x: tensor([2, 3, 2]), i: indices([3, 2], [1, 1, 0, 2, 1, 1]) },
      build: (g, { x, i }) => g.gatherND(x!, i!),
    },
  ],
  ScatterElements: [
    {
      inputs: { x: tensor([2, 4]), i: indices([2, 3], [1, 1, 3, 0, 2, 0]), u: tensor([2, 3]) },
      build: (g, { x, i, u }) => g.scatterElementsAdd(x!, i!, u!, 1),
    },
  ],
  Scan: [false, true].map((reverse) => ({
    inputs: {
      start: tensor(['batch', 2, 2]),
      decay: positive(['tokens', 'batch', 1, 1]),
      left: tensor(['tokens', 'batch', 2, 1]),
      right: tensor(['tokens', 'batch', 1, 2]),
      addend: tensor(['tokens', 'batch', 2, 2]),
    },
    build: (g, { start, decay, left, right, addend }) => {
      const { end, states } = g.linearRecurrence(
        { start: start!, decay: decay!, left: left!, right: right!, addend: addend! },
        { reverse },
      );
      return [g.reshape(end, [-1]), g.reshape(g.mul(states, states), [-1])];
    },
  })),
  OneHot: { flat: unary((g, x) => g.oneHot(g.argMax(x, 1), 3)) },

  Softmax: [unary((g, x) => g.softmax(x)), unary((g, x) => g.softmax(x, 1), tensor(['batch', 3, 2]))],
  LogSoftmax: [unary((g, x) => g.logSoftmax(x)), unary((g, x) => g.logSoftmax(x, 0), tensor([3, 'batch']))],
  LayerNormalization: [
    {
      inputs: { x: tensor(['batch', 'tokens', 4]), scale: positive([4]), bias: tensor([4]) },
      build: (g, { x, scale, bias }) => g.layerNormalization(x!, scale!, bias, { epsilon: 1e-5 }),
    },
    {
      inputs: { x: tensor([3, 4]), scale: positive([4]) },
      build: (g, { x, scale }) => g.layerNormalization(x!, scale!, undefined, { epsilon: 1e-3 }),
    },
  ],
};
