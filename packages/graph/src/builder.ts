// Implements the methods with which models build graphs, one per operator. `OperatorMethods` in ir.ts documents the result of
// each method.
import {
  addDims,
  canonicalDim,
  canonicalShape,
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
import type { Attributes, LinearRecurrence, Op, Operand, OperatorMethods, ReduceOptions, Value } from './ir.js';
import { positiveAxis } from './op.js';
import * as arithmetic from './ops/arithmetic.js';
import * as elementwise from './ops/elementwise.js';
import * as indexing from './ops/indexing.js';
import * as matrix from './ops/matrix.js';
import * as normalization from './ops/normalization.js';
import * as quantized from './ops/quantized.js';
import { Scan } from './ops/recurrence.js';
import * as reduce from './ops/reduce.js';
import * as shaping from './ops/shape.js';
import { scatterNDAdd, scatterRowsAdd } from './scatter-rows.js';
import { dimScalar, dimsTensor, full, runtimeShape, sizeAsFloat } from './symbolic-sizes.js';
import { constantReshapeTarget, equalPart, positionOn, reshapedShape } from './target-shape.js';

export class GraphBuilder extends Graph implements OperatorMethods {
  add = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Add, a, b);
  sub = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Sub, a, b);
  mul = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Mul, a, b);
  div = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Div, a, b);
  pow = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Pow, a, b);
  max = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Max, a, b);
  min = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Min, a, b);
  mod = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Mod, a, b);
  equal = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Equal, a, b);
  less = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Less, a, b);
  lessOrEqual = (a: Operand, b: Operand): Value => this.#binary(arithmetic.LessOrEqual, a, b);
  greater = (a: Operand, b: Operand): Value => this.#binary(arithmetic.Greater, a, b);
  greaterOrEqual = (a: Operand, b: Operand): Value => this.#binary(arithmetic.GreaterOrEqual, a, b);
  and = (a: Value, b: Value): Value => this.#one(arithmetic.And, [a, b]);
  or = (a: Value, b: Value): Value => this.#one(arithmetic.Or, [a, b]);
  not = (a: Value): Value => this.#one(arithmetic.Not, [a]);

  where(condition: Value, a: Operand, b: Operand): Value {
    const [x, y] = this.#operands(a, b);
    return this.#one(arithmetic.Where, [condition, x, y]);
  }

  clip = (x: Value, low: Operand, high: Operand): Value => this.min(this.max(x, low), high);

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
  silu = (x: Value): Value => this.mul(x, this.sigmoid(x));
  gelu = (x: Value, approximate: 'none' | 'tanh'): Value => this.#one(elementwise.Gelu, [x], { approximate });
  stopGradient = (x: Value): Value => this.#one(elementwise.StopGradient, [x], { _stops: 1 });
  inFloat32 = (x: Value): Value => this.#one(elementwise.Identity, [x], { _float32: 1 });
  cast = (x: Value, dtype: DataType): Value =>
    x.dtype === dtype ? x : this.#one(elementwise.Cast, [x], { to: onnxTypeCodes[dtype] });

  matMul = (a: Value, b: Value): Value => this.#one(matrix.MatMul, [a, b]);

  fusedMatMul(
    a: Value,
    b: Value,
    { transA = false, transB = false, alpha = 1 }: { transA?: boolean; transB?: boolean; alpha?: number } = {},
  ): Value {
    if (!transA && !transB && alpha === 1) return this.matMul(a, b);
    // The product [..., queries, keys]ᵀ · [..., queries, size] is computed as the transpose of [size, queries] · [queries, keys],
    // since every device copies a transposed operand, and the wider one takes longer. Sizes of attention heads are numbers, and
    // token counts are symbols.
    if (transA && !transB && a.rank > 2 && typeof a.dim(-1) === 'string' && typeof b.dim(-1) === 'number') {
      const product = this.fusedMatMul(b, a, { transA, alpha });
      return this.transpose(product, [...Array(product.rank - 2).keys(), product.rank - 1, product.rank - 2]);
    }
    return this.#one(matrix.FusedMatMul, [a, b], { transA: Number(transA), transB: Number(transB), alpha });
  }

  gemm(
    a: Value,
    b: Value,
    c?: Value,
    { transA = false, transB = false, alpha = 1, beta = 1, fewRows = false } = {},
  ): Value {
    return this.#one(matrix.Gemm, c ? [a, b, c] : [a, b], {
      transA: Number(transA),
      transB: Number(transB),
      alpha,
      beta,
      ...(fewRows && { _fewRows: 1 }),
    });
  }

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

  dequantizeLinear(
    numbers: Value,
    scales: Value,
    zeroPoints: Value,
    { axis, blockSize }: { axis: number; blockSize: number },
  ): Value {
    return this.#one(quantized.DequantizeLinear, [numbers, scales, zeroPoints], { axis, block_size: blockSize });
  }

  quantizeLinear(x: Value, scale: number | Value, zeroPoint: number, dtype: 'uint8' | 'int8' = 'uint8'): Value {
    const zero = this.constant((dtype === 'int8' ? Int8Array : Uint8Array).of(zeroPoint), [], dtype);
    if (typeof scale === 'number') return this.#one(quantized.QuantizeLinear, [x, this.scalar(scale), zero]);
    return this.#one(quantized.QuantizeLinear, [x, scale, this.expand(zero, scale.shape)], { axis: 0 });
  }

  integerMatMul(a: Value, b: Value, scales: Value, zeroPoint: number): Value {
    const zeros = [zeroPoint, ...(b.dtype === 'uint8' ? [128] : [])];
    const points = zeros.map((zero) => this.constant(Uint8Array.of(zero), [], 'uint8'));
    return this.#one(quantized.MatMulIntegerToFloat, [a, b, this.scalar(1), scales, ...points]);
  }

  reshape(x: Value, dims: Shape): Value {
    const shape = reshapedShape(x, dims);
    if (sameShape(shape, x.shape)) return x;
    const target = constantReshapeTarget(x.shape, shape);
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

  unsqueeze(x: Value, axis: number): Value {
    const at = positiveAxis(axis, x.rank + 1, 'Unsqueeze', [x]);
    return this.#one(shaping.Unsqueeze, [x, this.int64s([at])], {}, [...x.shape.slice(0, at), 1, ...x.shape.slice(at)]);
  }

  transpose(x: Value, permutation: readonly number[]): Value {
    if (permutation.every((axis, i) => axis === i) && permutation.length === x.rank) return x;
    return this.#one(shaping.Transpose, [x], { perm: permutation });
  }

  expand(x: Value, dims: Shape): Value {
    const shape = canonicalShape(dims);
    if (sameShape(shape, x.shape)) return x;
    const offset = shape.length - x.rank;
    const fits = offset >= 0 && x.shape.every((dim, i) => dim === 1 || dim === shape[i + offset]);
    if (!fits) throw new GraphBuildError('Expand', [x], `does not broadcast to ${formatShape(shape)}`);
    // ONNX's Expand broadcasts in both directions, so a target size of 1 keeps the input's dimension.
    const target = shape.map((dim, i) => (i >= offset && dim === x.shape[i - offset] ? 1 : dim));
    return this.#one(shaping.Expand, [x, this.dimsTensor(target)], { _shape: formatShape(shape) }, shape);
  }

  concat(xs: readonly Value[], axis: number): Value {
    if (xs.length === 1) return xs[0]!;
    const at = positiveAxis(axis, xs[0]!.rank, 'Concat', xs);
    const total = this.partitionOf(xs.map((x) => x.dim(at)))?.total;
    const shape = total === undefined ? undefined : xs[0]!.shape.map((dim, i) => (i === at ? total : dim));
    return this.#one(shaping.Concat, xs, { axis: at }, shape);
  }

  split(x: Value, axis: number, parts: number | Shape): Value[] {
    const at = positiveAxis(axis, x.rank, 'Split', [x]);
    const sizes = typeof parts === 'number' ? Array<Dim>(parts).fill(equalPart(x, at, parts)) : canonicalShape(parts);
    const partition = this.partitionOf(sizes);
    const total = partition?.total ?? sizes.reduce(addDims, 0);
    if (total !== x.dim(at))
      throw new GraphBuildError(
        'Split',
        [x],
        `the pieces ${formatShape(sizes)} add up to ${total}, but axis ${axis} has ${x.dim(at)} elements`,
      );
    if (sizes.length === 1) return [x];
    const shapes = sizes.map((size) => x.shape.map((dim, i) => (i === at ? size : dim)));
    return this.apply(
      shaping.Split,
      [x, partition?.sizes ?? this.dimsTensor(sizes)],
      { axis: at, _parts: sizes.length },
      shapes,
    );
  }

  slice(x: Value, axis: number, start: Dim, end?: Dim): Value {
    const at = positiveAxis(axis, x.rank, 'Slice', [x]);
    const from = positionOn(x.dim(at), start);
    const to = end === undefined ? x.dim(at) : positionOn(x.dim(at), end);
    const size = subtractDims(to, from);
    if (typeof size === 'number' && size < 0)
      throw new GraphBuildError('Slice', [x], `the end ${to} is before the start ${from} on axis ${axis}`);
    if (typeof to === 'number' && typeof x.dim(at) === 'number' && to > Number(x.dim(at))) {
      throw new GraphBuildError('Slice', [x], `the end ${to} is beyond axis ${axis}, which has ${x.dim(at)} elements`);
    }
    if (size === x.dim(at)) return x;
    const operands = [x, this.dimsTensor([from]), this.dimsTensor([to]), this.int64s([at])];
    const shape = x.shape.map((dim, i) => (i === at ? size : dim));
    return this.#one(shaping.Slice, operands, { _axis: at, _start: from, _end: to }, shape);
  }

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

  tile(x: Value, repeats: readonly number[]): Value {
    const shape = x.shape.map((dim, i) => sizeOfShape([dim, repeats[i]!]));
    return this.#one(shaping.Tile, [x, this.int64s(repeats)], {}, shape);
  }

  triangle(x: Value, { upper = false, diagonal = 0 } = {}): Value {
    return this.#one(shaping.Trilu, [x, this.scalar(diagonal, 'int64')], { upper: Number(upper) });
  }

  sumTo(x: Value, shape: Shape): Value {
    if (sameShape(x.shape, shape)) return x;
    const offset = x.rank - shape.length;
    const axes = x.shape.flatMap((dim, i) => (i < offset || (shape[i - offset] === 1 && dim !== 1) ? [i] : []));
    if (axes.every((axis) => axis < offset)) return this.reduceSum(x, { axes });
    return this.reshape(this.reduceSum(x, { axes, keepdims: true }), shape);
  }

  reduceSum = (x: Value, options: ReduceOptions = {}): Value => this.#reduce(reduce.ReduceSum, x, options);
  reduceMean = (x: Value, options: ReduceOptions = {}): Value => this.#reduce(reduce.ReduceMean, x, options);
  reduceMax = (x: Value, options: ReduceOptions = {}): Value => this.#reduce(reduce.ReduceMax, x, options);
  reduceMin = (x: Value, options: ReduceOptions = {}): Value => this.#reduce(reduce.ReduceMin, x, options);
  reduceSumSquare = (x: Value, options: ReduceOptions = {}): Value => this.#reduce(reduce.ReduceSumSquare, x, options);
  reduceLogSumExp = (x: Value, options: ReduceOptions = {}): Value => this.#reduce(reduce.ReduceLogSumExp, x, options);

  cumSum(x: Value, axis: number, { exclusive = false, reverse = false } = {}): Value {
    const at = positiveAxis(axis, x.rank, 'CumSum', [x]);
    return this.#one(reduce.CumSum, [x, this.scalar(at, 'int64')], {
      exclusive: Number(exclusive),
      reverse: Number(reverse),
    });
  }

  argMax = (x: Value, axis: number, { keepdims = false } = {}): Value =>
    this.#one(reduce.ArgMax, [x], { axis: positiveAxis(axis, x.rank, 'ArgMax', [x]), keepdims: Number(keepdims) });

  argMin = (x: Value, axis: number, { keepdims = false } = {}): Value =>
    this.#one(reduce.ArgMin, [x], { axis: positiveAxis(axis, x.rank, 'ArgMin', [x]), keepdims: Number(keepdims) });

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

  gather = (table: Value, indices: Value, axis = 0): Value =>
    this.#one(indexing.Gather, [table, indices], { axis: positiveAxis(axis, table.rank, 'Gather', [table, indices]) });

  gatherElements = (x: Value, indices: Value, axis: number): Value =>
    this.#one(indexing.GatherElements, [x, indices], {
      axis: positiveAxis(axis, x.rank, 'GatherElements', [x, indices]),
    });

  gatherND = (data: Value, indices: Value): Value => this.#one(indexing.GatherND, [data, indices]);

  scatterNDAdd = (data: Value, indices: Value, updates: Value): Value => scatterNDAdd(this, data, indices, updates);
  scatterRowsAdd = (data: Value, indices: Value, dy: Value, axis: number): Value =>
    scatterRowsAdd(this, data, indices, dy, axis);
  scatterElementsAdd = (data: Value, indices: Value, updates: Value, axis: number): Value =>
    this.#one(indexing.ScatterElements, [data, indices, updates], { axis, reduction: 'add' });
  oneHot = (indices: Value, depth: number, dtype: DataType = 'float32'): Value =>
    this.#one(indexing.OneHot, [indices, this.int64s([depth]), this.constant([0, 1], [2], dtype)], { axis: -1 });

  linearRecurrence(
    { start, decay, left, right, addend }: LinearRecurrence,
    { reverse = false } = {},
  ): { end: Value; states: Value } {
    const direction = Number(reverse);
    const [end, states] = this.apply(Scan, [start, decay, left, right, addend], {
      num_scan_inputs: 4,
      scan_input_directions: Array<number>(4).fill(direction),
      scan_output_directions: [direction],
    });
    return { end: end!, states: states! };
  }

  softmax = (x: Value, axis = -1): Value =>
    this.#one(normalization.Softmax, [x], { axis: positiveAxis(axis, x.rank, 'Softmax', [x]) });
  logSoftmax = (x: Value, axis = -1): Value =>
    this.#one(normalization.LogSoftmax, [x], { axis: positiveAxis(axis, x.rank, 'LogSoftmax', [x]) });

  layerNormalization(x: Value, scale: Value, bias: Value | undefined, { epsilon }: { epsilon: number }): Value {
    return this.apply(normalization.LayerNormalization, bias ? [x, scale, bias] : [x, scale], {
      axis: -1,
      epsilon,
    })[0]!;
  }

  zeros = (shape: Shape, dtype: DataType = 'float32'): Value => this.full(0, shape, dtype);
  full = (x: number, shape: Shape, dtype: DataType = 'float32'): Value => full(this, x, shape, dtype);

  runtimeZeros(shape: Shape, dtype: DataType, near: Value): Value {
    const target = runtimeShape(this, shape, near);
    if (!target) return this.zeros(shape, dtype);
    return this.#one(shaping.Expand, [this.scalar(0, dtype), target], { _shape: formatShape(shape) }, shape);
  }

  range(size: Dim): Value {
    const limit = this.dimScalar(size);
    return this.#one(shaping.Range, [this.scalar(0, 'int64'), limit, this.scalar(1, 'int64')], {}, [size]);
  }

  rangeBetween = (start: Value, end: Value, size: Dim = this.freshSymbol('range')): Value =>
    this.#one(shaping.Range, [start, end, this.scalar(1, 'int64')], {}, [size]);

  partition(total: Dim, sizes: Value): Dim[] {
    const dims = Array.from({ length: sizes.dim(0) as number }, () => this.freshSymbol('part'));
    this.notePartition(dims, { total: canonicalDim(total), sizes });
    return dims;
  }

  dimScalar = (dim: Dim): Value => dimScalar(this, dim);
  sizeAsFloat = (dims: Shape, dtype: DataType = 'float32'): Value => sizeAsFloat(this, dims, dtype);
  dimsTensor = (dims: Shape): Value => dimsTensor(this, dims);

  symbolSize(symbol: string): Value {
    const { value, axis } = this.symbolSource(symbol);
    return this.#one(shaping.ShapeOf, [value], { start: axis, end: axis + 1 });
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
      throw new RangeError(
        `the constant ${x} cannot be combined with a tensor of ${dtype}; cast the tensor to float32 first`,
      );
    return this.scalar(x, dtype);
  }

  #reduce(op: Op, x: Value, { axes, keepdims = false }: ReduceOptions): Value {
    const positive = axes
      ? axes.map((axis) => positiveAxis(axis, x.rank, op.opType, [x])).sort((a, b) => a - b)
      : [...x.shape.keys()];
    if (positive.length === 0) return op === reduce.ReduceSumSquare ? this.mul(x, x) : x;
    return this.#one(op, [x, this.int64s(positive)], { keepdims: Number(keepdims) });
  }
}
