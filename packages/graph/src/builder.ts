// The graph builder: one typed method per operator, with the shape arithmetic that turns symbolic dimensions into operands.
// In order: arithmetic, elementwise, matrices, shapes, reductions, indexing, normalization, symbolic sizes.
import {
  addDims,
  canonicalDim,
  canonicalShape,
  dimTerms,
  divideDims,
  formatShape,
  sameShape,
  sizeOfShape,
  subtractDims,
  type Dim,
  type Shape,
} from './dims.js';
import { isFloat, onnxTypeCodes, type DataType } from './dtype.js';
import { GraphBuildError } from './errors.js';
import { Graph } from './graph.js';
import { positiveAxis, type Op } from './op.js';
import * as arithmetic from './ops/arithmetic.js';
import * as elementwise from './ops/elementwise.js';
import * as indexing from './ops/indexing.js';
import * as matrix from './ops/matrix.js';
import * as normalization from './ops/normalization.js';
import * as quantized from './ops/quantized.js';
import * as reduce from './ops/reduce.js';
import * as shaping from './ops/shape.js';
import type { Attributes, Value } from './value.js';

/** A plain number stands for a scalar constant of the other operand's type. */
export type Operand = Value | number;

export interface ReduceOptions {
  /** All axes if not given; negative ones count from the end. */
  axes?: readonly number[];
  keepdims?: boolean;
}

export class GraphBuilder extends Graph {
  // Arithmetic with broadcasting

  add = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Add, a, b);
  sub = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Sub, a, b);
  mul = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Mul, a, b);
  div = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Div, a, b);
  pow = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Pow, a, b);
  max = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Max, a, b);
  min = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Min, a, b);
  /** Remainder of whole numbers. */
  mod = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Mod, a, b);
  equal = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Equal, a, b);
  less = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Less, a, b);
  lessOrEqual = (a: Operand, b: Operand): Value => this.#binary(arithmetic.LessOrEqual, a, b);
  greater = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Greater, a, b);
  greaterOrEqual = (a: Operand, b: Operand): Value => this.#binary(arithmetic.GreaterOrEqual, a, b);
  and = (a: Value, b: Value): Value => this.#one(arithmetic.And, [a, b]);
  or = (a: Value, b: Value): Value => this.#one(arithmetic.Or, [a, b]);
  not = (a: Value): Value => this.#one(arithmetic.Not, [a]);

  /** `a` where the condition holds, `b` elsewhere. */
  where(condition: Value, a: Operand, b: Operand): Value {
    const [x, y] = this.#operands(a, b);
    return this.#one(arithmetic.Where, [condition, x, y]);
  }

  /** min(max(x, low), high). */
  clip = (x: Value, low: number, high: number): Value => this.min(this.max(x, low), high);

  // Elementwise

  identity = (x: Value): Value => this.#one(elementwise.Identity, [x]);
  neg = (x: Value): Value => this.#one(elementwise.Neg, [x]);
  exp = (x: Value): Value => this.#one(elementwise.Exp, [x]);
  log = (x: Value): Value => this.#one(elementwise.Log, [x]);
  sqrt = (x: Value): Value => this.#one(elementwise.Sqrt, [x]);
  square = (x: Value): Value => this.mul(x, x);
  reciprocal = (x: Value): Value => this.#one(elementwise.Reciprocal, [x]);
  abs = (x: Value): Value => this.#one(elementwise.Abs, [x]);
  sin = (x: Value): Value => this.#one(elementwise.Sin, [x]);
  cos = (x: Value): Value => this.#one(elementwise.Cos, [x]);
  tanh = (x: Value): Value => this.#one(elementwise.Tanh, [x]);
  sigmoid = (x: Value): Value => this.#one(elementwise.Sigmoid, [x]);
  erf = (x: Value): Value => this.#one(elementwise.Erf, [x]);
  relu = (x: Value): Value => this.#one(elementwise.Relu, [x]);
  softplus = (x: Value): Value => this.#one(elementwise.Softplus, [x]);
  sign = (x: Value): Value => this.#one(elementwise.Sign, [x]);
  floor = (x: Value): Value => this.#one(elementwise.Floor, [x]);
  /** x σ(x), also called swish. */
  silu = (x: Value): Value => this.mul(x, this.sigmoid(x));
  /** 'none': exact (erf); 'tanh': GPT-2's approximation. */
  gelu = (x: Value, approximate: 'none' | 'tanh'): Value => this.#one(elementwise.Gelu, [x], { approximate });
  /** The value, through which no gradient flows back. */
  stopGradient = (x: Value): Value => this.#one(elementwise.StopGradient, [x], { _stops: 1 });
  /** The value; what is worked out from it is float32 also where the graph is compiled for float16 (see float16-form.ts). */
  inFloat32 = (x: Value): Value => this.#one(elementwise.Identity, [x], { _float32: 1 });
  cast = (x: Value, dtype: DataType): Value =>
    x.dtype === dtype ? x : this.#one(elementwise.Cast, [x], { to: onnxTypeCodes[dtype] });

  // Matrices

  /** [..., m, k] · [..., k, n] → [..., m, n]. */
  matMul = (a: Value, b: Value): Value => this.#one(matrix.MatMul, [a, b]);

  /** α · A′ · B′, where a set flag swaps the last two dimensions of that operand. */
  fusedMatMul(
    a: Value,
    b: Value,
    { transA = false, transB = false, alpha = 1 }: { transA?: boolean; transB?: boolean; alpha?: number } = {},
  ): Value {
    if (!transA && !transB && alpha === 1) return this.matMul(a, b);
    return this.#one(matrix.FusedMatMul, [a, b], { transA: Number(transA), transB: Number(transB), alpha });
  }

  /** α · A′ · B′ + β · C for matrices, C broadcast (a bias row). */
  gemm(a: Value, b: Value, c?: Value, { transA = false, transB = false, alpha = 1, beta = 1 } = {}): Value {
    return this.#one(matrix.Gemm, c ? [a, b, c] : [a, b], {
      transA: Number(transA),
      transB: Number(transB),
      alpha,
      beta,
    });
  }

  /** x [..., K] · Wᵀ, W frozen, in blocks of `blockSize` numbers along K that share a scale (see ops/quantized.ts). */
  quantizedMatMul(
    x: Value,
    packed: Value,
    scales: Value,
    {
      bits,
      blockSize,
      accuracyLevel = 0,
      zeroPoints,
    }: { bits: 4 | 8; blockSize: number; accuracyLevel?: 0 | 4; zeroPoints?: Value },
  ): Value {
    const [N, K] = [packed.dim(0) as number, (packed.dim(1) as number) * blockSize];
    const attributes = { K, N, bits, block_size: blockSize, accuracy_level: accuracyLevel };
    return this.#one(
      quantized.MatMulNBits,
      zeroPoints ? [x, packed, scales, zeroPoints] : [x, packed, scales],
      attributes,
    );
  }

  /** (numbers − zeroPoints) · scales, one scale and zero point for each block along the axis. */
  dequantizeLinear(
    numbers: Value,
    scales: Value,
    zeroPoints: Value,
    { axis, blockSize }: { axis: number; blockSize: number },
  ): Value {
    return this.#one(quantized.DequantizeLinear, [numbers, scales, zeroPoints], { axis, block_size: blockSize });
  }

  /** saturate(round(x / scale) + zeroPoint), in 8 bits. */
  quantizeLinear(x: Value, scale: number, zeroPoint: number, dtype: 'uint8' | 'int8' = 'uint8'): Value {
    const zero = this.constant((dtype === 'int8' ? Int8Array : Uint8Array).of(zeroPoint), [], dtype);
    return this.#one(quantized.QuantizeLinear, [x, this.scalar(scale), zero]);
  }

  /** (a − zeroPoint) · b · scales: whole numbers [..., K] · [K, N], one scale for each column; int8 is about 0, uint8 about 128. */
  integerMatMul(a: Value, b: Value, scales: Value, zeroPoint: number): Value {
    const zeros = [zeroPoint, ...(b.dtype === 'uint8' ? [128] : [])];
    const points = zeros.map((zero) => this.constant(Uint8Array.of(zero), [], 'uint8'));
    return this.#one(quantized.MatMulIntegerToFloat, [a, b, this.scalar(1), scales, ...points]);
  }

  // Shapes

  /** Same elements in another shape; one dimension may be −1, which is worked out. */
  reshape(x: Value, dims: Shape): Value {
    const shape = this.#resolveShape(x, dims);
    if (sameShape(shape, x.shape)) return x;
    const target = staticReshapeTarget(x.shape, shape);
    return this.#one(
      shaping.Reshape,
      [x, target ? this.int64s(target) : this.dimsTensor(shape)],
      { _shape: formatShape(shape) },
      shape,
    );
  }

  squeeze(x: Value, axis: number): Value {
    const at = positiveAxis(axis, x.rank, 'Squeeze', [x]);
    if (x.dim(at) !== 1) throw new GraphBuildError('Squeeze', [x], `axis ${axis} has size ${x.dim(at)}, not 1`);
    return this.#one(shaping.Squeeze, [x, this.int64s([at])], {}, [...x.shape.slice(0, at), ...x.shape.slice(at + 1)]);
  }

  /** A new axis of size 1 at position `axis` of the result. */
  unsqueeze(x: Value, axis: number): Value {
    const at = positiveAxis(axis, x.rank + 1, 'Unsqueeze', [x]);
    return this.#one(shaping.Unsqueeze, [x, this.int64s([at])], {}, [...x.shape.slice(0, at), 1, ...x.shape.slice(at)]);
  }

  /** Axis i of the result is axis permutation[i] of x. */
  transpose(x: Value, permutation: readonly number[]): Value {
    if (permutation.every((axis, i) => axis === i) && permutation.length === x.rank) return x;
    return this.#one(shaping.Transpose, [x], { perm: permutation });
  }

  /** Copies along the axes where x has size 1 (or none). */
  expand(x: Value, dims: Shape): Value {
    const shape = canonicalShape(dims);
    if (sameShape(shape, x.shape)) return x;
    const offset = shape.length - x.rank;
    const fits = offset >= 0 && x.shape.every((dim, i) => dim === 1 || dim === shape[i + offset]);
    if (!fits) throw new GraphBuildError('Expand', [x], `does not broadcast to ${formatShape(shape)}`);
    // ONNX's Expand broadcasts both ways: 1 keeps a dimension that is already there.
    const target = shape.map((dim, i) => (i >= offset && dim === x.shape[i - offset] ? 1 : dim));
    return this.#one(shaping.Expand, [x, this.dimsTensor(target)], { _shape: formatShape(shape) }, shape);
  }

  concat(xs: readonly Value[], axis: number): Value {
    if (xs.length === 1) return xs[0]!;
    return this.#one(shaping.Concat, xs, { axis: positiveAxis(axis, xs[0]!.rank, 'Concat', xs) });
  }

  /** Pieces along an axis: a number of equal ones, or the size of each. */
  split(x: Value, axis: number, parts: number | Shape): Value[] {
    const at = positiveAxis(axis, x.rank, 'Split', [x]);
    const sizes =
      typeof parts === 'number' ? Array<Dim>(parts).fill(this.#equalPart(x, at, parts)) : canonicalShape(parts);
    const total = sizes.reduce(addDims, 0);
    if (total !== x.dim(at))
      throw new GraphBuildError(
        'Split',
        [x],
        `pieces ${formatShape(sizes)} add up to ${total}, axis ${axis} has ${x.dim(at)}`,
      );
    if (sizes.length === 1) return [x];
    const shapes = sizes.map((size) => x.shape.map((dim, i) => (i === at ? size : dim)));
    return this.apply(shaping.Split, [x, this.dimsTensor(sizes)], { axis: at, _parts: sizes.length }, shapes);
  }

  /** Elements start…end−1 of one axis; negative numbers count from the end; no `end` means to the end. */
  slice(x: Value, axis: number, start: Dim, end?: Dim): Value {
    const at = positiveAxis(axis, x.rank, 'Slice', [x]);
    const from = this.#fromEnd(x.dim(at), start);
    const to = end === undefined ? x.dim(at) : this.#fromEnd(x.dim(at), end);
    const size = subtractDims(to, from);
    if (typeof size === 'number' && size < 0)
      throw new GraphBuildError('Slice', [x], `axis ${axis} from ${from} to ${to} is empty backwards`);
    if (typeof to === 'number' && typeof x.dim(at) === 'number' && to > Number(x.dim(at))) {
      throw new GraphBuildError('Slice', [x], `axis ${axis} has ${x.dim(at)} elements, end is ${to}`);
    }
    if (size === x.dim(at)) return x;
    const operands = [x, this.dimsTensor([from]), this.dimsTensor([to]), this.int64s([at])];
    const shape = x.shape.map((dim, i) => (i === at ? size : dim));
    return this.#one(shaping.Slice, operands, { _axis: at, _start: from, _end: to }, shape);
  }

  /** `value` added before and after an axis. */
  pad(x: Value, axis: number, before: Dim, after: Dim, value = 0): Value {
    if (before === 0 && after === 0) return x;
    const at = positiveAxis(axis, x.rank, 'Pad', [x]);
    const pads: Dim[] = Array<Dim>(2 * x.rank).fill(0);
    pads[at] = before;
    pads[x.rank + at] = after;
    const shape = x.shape.map((dim, i) => (i === at ? addDims(addDims(dim, before), after) : dim));
    return this.#one(
      shaping.Pad,
      [x, this.dimsTensor(pads), this.scalar(value, x.dtype)],
      { _axis: at, _before: before },
      shape,
    );
  }

  /** x repeated `repeats[i]` times along axis i. */
  tile(x: Value, repeats: readonly number[]): Value {
    const shape = x.shape.map((dim, i) => sizeOfShape([dim, repeats[i]!]));
    return this.#one(shaping.Tile, [x, this.int64s(repeats)], {}, shape);
  }

  /** The last two dimensions below (or on) the diagonal kept, the rest zero; `upper` keeps the other side. */
  triangle(x: Value, { upper = false, diagonal = 0 } = {}): Value {
    return this.#one(shaping.Trilu, [x, this.scalar(diagonal, 'int64')], { upper: Number(upper) });
  }

  /** Sum of x over its broadcast copies, so that the result has `shape`: the backward of broadcasting. */
  sumTo(x: Value, shape: Shape): Value {
    if (sameShape(x.shape, shape)) return x;
    const offset = x.rank - shape.length;
    const axes = x.shape.flatMap((dim, i) => (i < offset || (shape[i - offset] === 1 && dim !== 1) ? [i] : []));
    if (axes.every((axis) => axis < offset)) return this.reduceSum(x, { axes });
    return this.reshape(this.reduceSum(x, { axes, keepdims: true }), shape);
  }

  // Reductions

  reduceSum = (x: Value, options: ReduceOptions = {}): Value => this.#reduce(reduce.ReduceSum, x, options);
  reduceMean = (x: Value, options: ReduceOptions = {}): Value => this.#reduce(reduce.ReduceMean, x, options);
  reduceMax = (x: Value, options: ReduceOptions = {}): Value => this.#reduce(reduce.ReduceMax, x, options);
  reduceMin = (x: Value, options: ReduceOptions = {}): Value => this.#reduce(reduce.ReduceMin, x, options);
  reduceSumSquare = (x: Value, options: ReduceOptions = {}): Value => this.#reduce(reduce.ReduceSumSquare, x, options);
  reduceLogSumExp = (x: Value, options: ReduceOptions = {}): Value => this.#reduce(reduce.ReduceLogSumExp, x, options);

  /** Running sum along an axis; `exclusive` leaves the element itself out, `reverse` runs from the end. */
  cumSum(x: Value, axis: number, { exclusive = false, reverse = false } = {}): Value {
    const at = positiveAxis(axis, x.rank, 'CumSum', [x]);
    return this.#one(reduce.CumSum, [x, this.scalar(at, 'int64')], {
      exclusive: Number(exclusive),
      reverse: Number(reverse),
    });
  }

  /** Index of the largest element, the first one of equals; int64. */
  argMax = (x: Value, axis: number, { keepdims = false } = {}): Value =>
    this.#one(reduce.ArgMax, [x], { axis: positiveAxis(axis, x.rank, 'ArgMax', [x]), keepdims: Number(keepdims) });

  argMin = (x: Value, axis: number, { keepdims = false } = {}): Value =>
    this.#one(reduce.ArgMin, [x], { axis: positiveAxis(axis, x.rank, 'ArgMin', [x]), keepdims: Number(keepdims) });

  /** The k largest (or smallest) along an axis, sorted: [values, int64 indices]. A `k` known only at run time is int64 [1]; `dim` names its size. */
  topK(
    x: Value,
    k: number | Value,
    axis = -1,
    { largest = true, dim }: { largest?: boolean; dim?: Dim } = {},
  ): [Value, Value] {
    const at = positiveAxis(axis, x.rank, 'TopK', [x]);
    const count = typeof k === 'number' ? k : (dim ?? this.freshSymbol('k'));
    const shape = x.shape.map((size, i) => (i === at ? count : size));
    const operands = [x, typeof k === 'number' ? this.int64s([k]) : k];
    const [values, indices] = this.apply(reduce.TopK, operands, { axis: at, largest: Number(largest), sorted: 1 }, [
      shape,
      shape,
    ]);
    return [values!, indices!];
  }

  // Indexing

  /** Rows of a table: axis `axis` of the table is replaced by the dimensions of `indices`. */
  gather = (table: Value, indices: Value, axis = 0): Value =>
    this.#one(indexing.Gather, [table, indices], { axis: positiveAxis(axis, table.rank, 'Gather', [table, indices]) });

  gatherElements = (x: Value, indices: Value, axis: number): Value =>
    this.#one(indexing.GatherElements, [x, indices], {
      axis: positiveAxis(axis, x.rank, 'GatherElements', [x, indices]),
    });

  /** Elements or slices at index tuples: indices [..., depth]. */
  gatherND = (data: Value, indices: Value): Value => this.#one(indexing.GatherND, [data, indices]);

  /** data + the sum of the updates that fall on each index tuple (indices [..., depth], updates [..., rest of data]). */
  scatterNDAdd(data: Value, indices: Value, updates: Value): Value {
    const depth = indices.dim(-1) as number;
    const [indexed, rest] = [data.shape.slice(0, depth), data.shape.slice(depth)];
    // One row number per tuple: Σ index · stride, the stride of an axis being the size of all later indexed ones.
    const strides = this.dimsTensor(indexed.map((_, axis) => sizeOfShape(indexed.slice(axis + 1))));
    const rows = this.reduceSum(this.mul(indices, strides), { axes: [-1] });
    const flat = this.reshape(data, [sizeOfShape(indexed), ...rest]);
    return this.reshape(this.scatterRowsAdd(flat, rows, updates, 0), data.shape);
  }

  scatterElementsAdd = (data: Value, indices: Value, updates: Value, axis: number): Value =>
    this.#one(indexing.ScatterElements, [data, indices, updates], { axis, reduction: 'add' });

  /** The backward of `gather`: each slice of dy is added to the row of `data` it was read from. */
  scatterRowsAdd(data: Value, indices: Value, dy: Value, axis: number): Value {
    if (axis === 0) {
      // ScatterElements, because ONNX Runtime's ScatterND adds repeated rows from several threads at once and loses some.
      const width = sizeOfShape(data.shape.slice(1));
      const updates = this.reshape(dy, [sizeOfShape(indices.shape), width]);
      const rows = this.expand(this.reshape(this.cast(indices, 'int64'), [-1, 1]), updates.shape);
      const table = this.reshape(data, [data.dim(0), width]);
      return this.reshape(this.scatterElementsAdd(table, rows, updates, 0), data.shape);
    }
    // Bring the indexed axis to the front, scatter rows, and bring it back.
    const order = [axis, ...data.shape.keys()].filter((a, i) => i === 0 || a !== axis);
    const moved = [...Array(indices.rank).keys()].map((i) => axis + i);
    const dyOrder = [...moved, ...[...dy.shape.keys()].filter((a) => !moved.includes(a))];
    const front = this.scatterRowsAdd(this.transpose(data, order), indices, this.transpose(dy, dyOrder), 0);
    return this.transpose(
      front,
      order.map((_, a) => order.indexOf(a)),
    );
  }

  /** 1 at each index along a new last axis of size `depth`. */
  oneHot = (indices: Value, depth: number, dtype: DataType = 'float32'): Value =>
    this.#one(indexing.OneHot, [indices, this.int64s([depth]), this.constant([0, 1], [2], dtype)], { axis: -1 });

  // Normalization

  softmax = (x: Value, axis = -1): Value =>
    this.#one(normalization.Softmax, [x], { axis: positiveAxis(axis, x.rank, 'Softmax', [x]) });
  logSoftmax = (x: Value, axis = -1): Value =>
    this.#one(normalization.LogSoftmax, [x], { axis: positiveAxis(axis, x.rank, 'LogSoftmax', [x]) });

  /** Over the last axis. */
  layerNormalization(x: Value, scale: Value, bias: Value | undefined, { epsilon }: { epsilon: number }): Value {
    return this.apply(normalization.LayerNormalization, bias ? [x, scale, bias] : [x, scale], {
      axis: -1,
      epsilon,
    })[0]!;
  }

  // Symbolic sizes

  /** Tensor filled with 0; no elements are stored in the model unless the shape is small and known. */
  zeros = (shape: Shape, dtype: DataType = 'float32'): Value => this.full(0, shape, dtype);

  /**
   * Zeros made anew at each run. A large constant would be computed once, kept for the session's life, and copied before each
   * write into it; a shape that hangs on a symbolic size of `near` cannot be computed before.
   */
  runtimeZeros(shape: Shape, dtype: DataType, near: Value): Value {
    const symbol = near.shape.find((dim) => typeof dim === 'string');
    if (symbol === undefined) return this.zeros(shape, dtype);
    const target = this.add(this.dimsTensor(shape), this.mul(this.dimScalar(symbol), 0));
    return this.#one(shaping.Expand, [this.scalar(0, dtype), target], { _shape: formatShape(shape) }, shape);
  }

  full(x: number, shape: Shape, dtype: DataType = 'float32'): Value {
    const size = sizeOfShape(canonicalShape(shape));
    if (typeof size === 'number' && size <= 64) return this.filled(x, shape as number[], dtype);
    return this.expand(this.scalar(x, dtype), shape);
  }

  /** int64 0, 1, …, size−1. */
  range(size: Dim): Value {
    const limit = this.dimScalar(size);
    return this.#one(shaping.Range, [this.scalar(0, 'int64'), limit, this.scalar(1, 'int64')], {}, [size]);
  }

  /** int64 start, …, end−1, the bounds being int64 scalars known only at run time; their number is `size`, a symbol of its own if not given. */
  rangeBetween = (start: Value, end: Value, size: Dim = this.freshSymbol('range')): Value =>
    this.#one(shaping.Range, [start, end, this.scalar(1, 'int64')], {}, [size]);

  /** A dimension as an int64 scalar. */
  dimScalar = (dim: Dim): Value =>
    typeof dim === 'number' ? this.scalar(dim, 'int64') : this.reshape(this.dimsTensor([dim]), []);

  /** Product of dimensions as a float scalar: the count in a mean. */
  sizeAsFloat(dims: Shape, dtype: DataType = 'float32'): Value {
    const size = sizeOfShape(dims);
    return typeof size === 'number' ? this.scalar(size, dtype) : this.cast(this.dimScalar(size), dtype);
  }

  /** Dimensions as a 1-D int64 tensor: constant where they are known, read from the graph's inputs where they are symbols. */
  dimsTensor(dims: Shape): Value {
    const pieces: Value[] = [];
    let known: number[] = [];
    const flush = () => {
      if (known.length > 0) pieces.push(this.int64s(known));
      known = [];
    };
    for (const dim of dims.map(canonicalDim)) {
      if (typeof dim === 'number') known.push(dim);
      else {
        flush();
        pieces.push(this.#symbolicSize(dim));
      }
    }
    flush();
    return pieces.length === 0 ? this.int64s([]) : this.concat(pieces, 0);
  }

  /** An expression over symbols, worked out while the graph runs; int64 [1]. */
  #symbolicSize(dim: string): Value {
    let sum: Value | undefined;
    for (const [symbols, coefficient] of dimTerms(dim)) {
      const factors = symbols
        .split('*')
        .filter(Boolean)
        .map((symbol) => this.#symbolSize(symbol));
      if (coefficient !== 1 || factors.length === 0) factors.push(this.int64s([coefficient]));
      const term = factors.reduce((a, b) => this.mul(a, b));
      sum = sum ? this.add(sum, term) : term;
    }
    return sum!;
  }

  #symbolSize(symbol: string): Value {
    const source = this.symbolSources.get(symbol);
    if (!source)
      throw new Error(
        `graph '${this.name}': no tensor has the dimension '${symbol}'; declare an input with it before using it`,
      );
    return this.#one(shaping.ShapeOf, [source.value], { start: source.axis, end: source.axis + 1 });
  }

  #one(op: Op, inputs: readonly (Value | undefined)[], attributes: Attributes = {}, shape?: Shape): Value {
    return this.apply(op, inputs, attributes, shape && [shape])[0]!;
  }

  #binary(op: Op, a: Operand, b: Operand): Value {
    return this.#one(op, this.#operands(a, b));
  }

  #operands(a: Operand, b: Operand): [Value, Value] {
    const dtype = typeof a !== 'number' ? a.dtype : typeof b !== 'number' ? b.dtype : 'float32';
    return [this.#operand(a, dtype), this.#operand(b, dtype)];
  }

  #operand(x: Operand, dtype: DataType): Value {
    if (typeof x !== 'number') return x;
    if (!isFloat(dtype) && !Number.isInteger(x))
      throw new RangeError(`the constant ${x} meets a tensor of ${dtype}; cast the tensor to float32 first`);
    return this.scalar(x, dtype);
  }

  #reduce(op: Op, x: Value, { axes, keepdims = false }: ReduceOptions): Value {
    const positive = axes
      ? axes.map((axis) => positiveAxis(axis, x.rank, op.opType, [x])).sort((a, b) => a - b)
      : [...x.shape.keys()];
    if (positive.length === 0) return op === reduce.ReduceSumSquare ? this.mul(x, x) : x;
    return this.#one(op, [x, this.int64s(positive)], { keepdims: Number(keepdims) });
  }

  #resolveShape(x: Value, dims: Shape): Dim[] {
    const unknown = dims.indexOf(-1);
    const total = sizeOfShape(x.shape);
    if (unknown < 0) {
      const shape = canonicalShape(dims);
      if (sizeOfShape(shape) !== total)
        throw new GraphBuildError(
          'Reshape',
          [x],
          `has ${total} elements, ${formatShape(shape)} holds ${sizeOfShape(shape)}`,
        );
      return shape;
    }
    const rest = sizeOfShape(dims.filter((_, i) => i !== unknown));
    const missing = divideDims(total, rest);
    if (missing === undefined)
      throw new GraphBuildError(
        'Reshape',
        [x],
        `${total} elements do not divide by ${rest} to fill ${formatShape(dims)}`,
      );
    return canonicalShape(dims.map((dim, i) => (i === unknown ? missing : dim)));
  }

  #equalPart(x: Value, axis: number, parts: number): Dim {
    return (
      divideDims(x.dim(axis), parts) ??
      raise(
        new GraphBuildError('Split', [x], `axis ${axis} of size ${x.dim(axis)} does not divide into ${parts} parts`),
      )
    );
  }

  #fromEnd(size: Dim, position: Dim): Dim {
    return typeof position === 'number' && position < 0 ? addDims(size, position) : canonicalDim(position);
  }
}

function raise(error: Error): never {
  throw error;
}

/** Reshape target as ONNX wants it: 0 copies the operand's dimension, −1 is worked out; undefined where neither suffices. */
function staticReshapeTarget(from: Shape, to: Shape): number[] | undefined {
  let inferred = false;
  const target: number[] = [];
  for (const [i, dim] of to.entries()) {
    if (typeof dim === 'number') target.push(dim);
    else if (dim === from[i]) target.push(0);
    else if (!inferred) {
      target.push(-1);
      inferred = true;
    } else return undefined;
  }
  // 0 means "copy" to ONNX, so a true size of zero needs the dynamic form.
  return to.includes(0) ? undefined : target;
}
