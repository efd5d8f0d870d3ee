// Declares a graph's intermediate representation: values, the nodes that compute them, the operators that nodes apply, and the
// methods with which gradient rules and rewriting rules of operators build further nodes. These types refer to each other, so
// they are in one file.
import type { Dim, Shape } from './dims.js';
import type { DataType, Precision, TensorArray } from './dtype.js';
import type { FrozenData, StoredTensor } from './stored-tensor.js';

/**
 * Attributes of a node. Integers become INT unless the operator lists the name in its `floatAttributes`. Names with a leading
 * underscore are for shape and gradient rules, and are not written to the ONNX model.
 */
export type Attributes = Readonly<Record<string, number | string | readonly number[]>>;

/** A node: an application of an operator to values. In `inputs`, `undefined` stands for an optional input that is omitted. */
export interface GraphNode {
  readonly name: string;
  readonly op: Op;
  readonly inputs: readonly (Value | undefined)[];
  readonly outputs: Value[];
  readonly attributes: Attributes;
  /** The number of the part of the graph to which the node belongs, see `Graph.apart`; 0 outside of parts. */
  readonly part: number;
}

type ValueKind = 'input' | 'initializer' | 'node';

/** A tensor of the graph: an input, an initializer, or an output of a node. */
export class Value {
  constructor(
    readonly name: string,
    readonly dtype: DataType,
    readonly shape: Shape,
    readonly kind: ValueKind,
    /** The node that computes the value; undefined for inputs and initializers. */
    readonly node?: GraphNode,
    /** The elements of an initializer. */
    readonly data?: TensorArray,
    /** The elements of an initializer whose elements are in a file. */
    readonly stored?: StoredTensor,
  ) {}

  get rank(): number {
    return this.shape.length;
  }

  /** Returns dimension `axis`; a negative one counts from the end. */
  dim(axis: number): Dim {
    const dim = this.shape.at(axis);
    if (dim === undefined) throw new RangeError(`'${this.name}' has rank ${this.rank}, so no axis ${axis}`);
    return dim;
  }
}

export interface TensorType {
  dtype: DataType;
  shape: Shape;
}

/** The arguments of a shape rule. `fail` throws an error that names the operator and prints every operand. */
export interface InferContext {
  readonly inputs: readonly Value[];
  readonly attributes: Attributes;
  readonly fail: (problem: string) => never;
}

/** The arguments of a gradient rule: y = op(...inputs), and the gradient of the loss by each output. */
export interface GradientContext {
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
  readonly attributes: Attributes;
  /** The first output of the node. */
  readonly y: Value;
  /** The gradient of the loss by the first output (zeros if the loss depends only on other outputs). */
  readonly dy: Value;
  /** The gradients of the loss by all outputs; undefined for an output on which the loss does not depend. */
  readonly dys: readonly (Value | undefined)[];
}

/**
 * The gradient of the loss by one input of a node: a value of the input's shape; or, for sparse gradients, a function that adds
 * the gradient to the sum of the input's other gradients, so that no dense tensor of zeros is needed; or null if there is no
 * gradient.
 */
export type InputGradient = Value | ((accumulated: Value | undefined) => Value) | null;

export type GradientRule = (g: OperatorMethods, context: GradientContext) => InputGradient[];

/** Returns the results of operators that replace a node on WebGPU; undefined if the node need not change. */
type WebgpuRewrite = (
  g: OperatorMethods,
  operands: readonly Value[],
  node: GraphNode,
) => Value | readonly Value[] | undefined;

/**
 * The way in which a node is rewritten for ONNX Runtime's WebGPU provider (see webgpu-form.ts).
 *
 *     'same'             not rewritten; with int64 operands it runs on the CPU
 *     'int32'            in int32 instead of int64, if every int64 operand has an int32 form
 *     'always int32'     its int64 result is int32
 *     { int32Operand }   the operand of this number may be int32: indices, or a tensor whose elements are only moved
 *     'cast'             a conversion between types
 *     a function         replaced by other operators
 */
export type WebgpuForm = 'same' | 'int32' | 'always int32' | { int32Operand: number } | 'cast' | WebgpuRewrite;

/**
 * The type in which a node computes where the graph is compiled for float16 (see float16-form.ts).
 *
 *     'operands'             the type of its operands, float32 where they differ
 *     'float32'              float32, since the result is too large or too inexact in float16
 *     { computes, result }   the types in which it computes and that it returns, for any operands
 *     'cast'                 a conversion between types
 *     a function             one of the above, depending on the node
 */
export type Float16Form =
  | 'operands'
  | 'float32'
  | 'cast'
  | { computes: Precision; result: Precision }
  | ((node: GraphNode) => Float16Form);

export interface OpSpec {
  /** The domain of the operator in ONNX; ONNX's own domain if not given. */
  domain?: 'com.microsoft';
  /** Infers the types and shapes of the outputs; those of an elementwise operator with broadcasting if not given. */
  infer?: (context: InferContext) => TensorType[];
  /** The names of attributes that the ONNX model stores as FLOAT. */
  floatAttributes?: readonly string[];
  /** How a node with this operator is rewritten for WebGPU; 'same' if not given. */
  webgpu?: WebgpuForm;
  /** The type in which a node with this operator computes if the graph is compiled for float16; 'operands' if not given. */
  float16?: Float16Form;
  /** Returns the attribute `body` as a GraphProto, for operators with a subgraph. */
  body?: (node: GraphNode) => object;
  /** Returns the gradient by each input. Without this rule, it is an error if a gradient would pass through the operator. */
  gradient?: GradientRule;
  /** The number of the node's inputs in the ONNX model; further ones are only for the gradient rule. All if not given. */
  operands?: number;
}

export interface Op
  extends
    Required<Pick<OpSpec, 'infer' | 'floatAttributes'>>,
    Pick<OpSpec, 'webgpu' | 'float16' | 'body' | 'gradient' | 'operands'> {
  readonly opType: string;
  readonly domain: '' | 'com.microsoft';
}

/** An operand of an operator: a value, or a number, which becomes a scalar constant of the other operand's type. */
export type Operand = Value | number;

export interface ReduceOptions {
  /** The axes that are reduced; all if not given. Negative ones count from the end. */
  axes?: readonly number[];
  keepdims?: boolean;
}

/** The operands of `linearRecurrence`, for a state S [batch, d, e] and n steps. */
export interface LinearRecurrence {
  /** The state before the first step, [batch, d, e]. */
  start: Value;
  /** The factor of the state in each step, [n, batch, 1, 1]. */
  decay: Value;
  /** The left factor of the matrix left · right, whose product with the state each step subtracts, [n, batch, d, width]. */
  left: Value;
  /** The right factor of the matrix left · right, whose product with the state each step subtracts, [n, batch, width, d]. */
  right: Value;
  /** The matrix that each step adds to the state, [n, batch, d, e]. */
  addend: Value;
}

type Unary = (x: Value) => Value;
type Binary = (a: Operand, b: Operand) => Value;
type Reduction = (x: Value, options?: ReduceOptions) => Value;

/** Declares the operators as methods, with which models and the rules of other operators build graphs. GraphBuilder implements them. */
export interface OperatorMethods {
  readonly initializers: readonly Value[];
  /** Stores a frozen tensor in the model. `data` is not copied: do not change it. */
  initializer(name: string, data: FrozenData, shape: readonly number[], dtype?: DataType): Value;
  /** Adds an unnamed constant. Small equal ones are shared. */
  constant(data: TensorArray | readonly number[], shape: readonly number[], dtype?: DataType): Value;
  scalar(x: number, dtype?: DataType): Value;
  /** Adds a 1-D int64 constant: ONNX's type for axes, sizes and shapes. */
  int64s(xs: readonly number[]): Value;
  /** Applies an operator that has no method in this interface. `shapes` replaces the inferred output shapes. */
  apply(op: Op, inputs: readonly (Value | undefined)[], attributes?: Attributes, shapes?: readonly Shape[]): Value[];

  add: Binary;
  sub: Binary;
  mul: Binary;
  div: Binary;
  pow: Binary;
  max: Binary;
  min: Binary;
  /** Computes the remainder of a division of integers. */
  mod: Binary;
  equal: Binary;
  less: Binary;
  lessOrEqual: Binary;
  greater: Binary;
  greaterOrEqual: Binary;
  and(a: Value, b: Value): Value;
  or(a: Value, b: Value): Value;
  not: Unary;
  /** Chooses `a` where the condition is true, `b` elsewhere. */
  where(condition: Value, a: Operand, b: Operand): Value;
  /** Computes min(max(x, low), high). */
  clip(x: Value, low: number, high: number): Value;

  identity: Unary;
  neg: Unary;
  exp: Unary;
  log: Unary;
  sqrt: Unary;
  square: Unary;
  reciprocal: Unary;
  abs: Unary;
  sin: Unary;
  cos: Unary;
  tanh: Unary;
  sigmoid: Unary;
  erf: Unary;
  relu: Unary;
  softplus: Unary;
  sign: Unary;
  floor: Unary;
  /** Computes x σ(x), also called swish. */
  silu: Unary;
  /** Computes GELU; `approximate` 'none' is the exact form with erf, 'tanh' GPT-2's approximation. */
  gelu(x: Value, approximate: 'none' | 'tanh'): Value;
  /** Returns the value; no gradient flows back through it. */
  stopGradient: Unary;
  /** Returns the value; everything computed from it is float32, even if the graph is compiled for float16. */
  inFloat32: Unary;
  cast(x: Value, dtype: DataType): Value;

  /** Multiplies matrices: [..., m, k] · [..., k, n] → [..., m, n]. */
  matMul(a: Value, b: Value): Value;
  /** Computes α · A′ · B′, where a flag that is set swaps the last two dimensions of that operand. */
  fusedMatMul(a: Value, b: Value, options?: { transA?: boolean; transB?: boolean; alpha?: number }): Value;
  /**
   * Computes α · A′ · B′ + β · C for matrices, where A′ and B′ may be transposed; C is broadcast (a bias row). `fewRows` says
   * that A has few rows in most runs, even if the symbol of that dimension is not `batch`; the WebGPU form depends on it.
   */
  gemm(
    a: Value,
    b: Value,
    c?: Value,
    options?: { transA?: boolean; transB?: boolean; alpha?: number; beta?: number; fewRows?: boolean },
  ): Value;
  /** Computes x [..., K] · Wᵀ with a frozen W, quantised in blocks of `blockSize` numbers along K (see ops/quantized.ts). */
  quantizedMatMul(
    x: Value,
    packed: Value,
    scales: Value,
    options: { bits: 4 | 8; blockSize: number; accuracyLevel?: 0 | 4; zeroPoints?: Value },
  ): Value;
  /** Computes (numbers − zeroPoints) · scales, with one scale and zero point for each block along the axis. */
  dequantizeLinear(
    numbers: Value,
    scales: Value,
    zeroPoints: Value,
    options: { axis: number; blockSize: number },
  ): Value;
  /** Computes saturate(round(x / scale) + zeroPoint) in 8 bits; `scale` is one for all of x, or a vector with one per row. */
  quantizeLinear(x: Value, scale: number | Value, zeroPoint: number, dtype?: 'uint8' | 'int8'): Value;
  /** Computes (a − zeroPoint) · b · scales for integers [..., K] · [K, N], a scale per column; zero point: int8 0, uint8 128. */
  integerMatMul(a: Value, b: Value, scales: Value, zeroPoint: number): Value;

  /** Gives x another shape; one dimension may be −1, which is inferred. */
  reshape(x: Value, dims: Shape): Value;
  squeeze(x: Value, axis: number): Value;
  /** Inserts a new axis of size 1 at position `axis` of the result. */
  unsqueeze(x: Value, axis: number): Value;
  /** Permutes axes: axis i of the result is axis permutation[i] of x. */
  transpose(x: Value, permutation: readonly number[]): Value;
  /** Repeats x along axes in which it has size 1, or that it does not have. */
  expand(x: Value, dims: Shape): Value;
  concat(xs: readonly Value[], axis: number): Value;
  /** Splits along an axis into a number of equal pieces, or into pieces of the given sizes. */
  split(x: Value, axis: number, parts: number | Shape): Value[];
  /** Selects elements start…end−1 of one axis; negative numbers count from the end; no `end` means to the end. */
  slice(x: Value, axis: number, start: Dim, end?: Dim): Value;
  /** Adds elements with the value `value` before and after those of an axis. */
  pad(x: Value, axis: number, before: Dim, after: Dim, value?: number): Value;
  /** Repeats x `repeats[i]` times along axis i. */
  tile(x: Value, repeats: readonly number[]): Value;
  /** Keeps the last two dimensions below (or on) the diagonal and sets the rest to zero; `upper` keeps the other side. */
  triangle(x: Value, options?: { upper?: boolean; diagonal?: number }): Value;
  /** Sums x over its broadcast copies, so that the result has `shape`; this is the gradient of broadcasting. */
  sumTo(x: Value, shape: Shape): Value;

  reduceSum: Reduction;
  reduceMean: Reduction;
  reduceMax: Reduction;
  reduceMin: Reduction;
  reduceSumSquare: Reduction;
  reduceLogSumExp: Reduction;
  /** Computes the running sum along an axis; with `exclusive`, without the element itself; with `reverse`, from the end. */
  cumSum(x: Value, axis: number, options?: { exclusive?: boolean; reverse?: boolean }): Value;
  /** Returns the index of the largest element, int64; the first one if several are equal. */
  argMax(x: Value, axis: number, options?: { keepdims?: boolean }): Value;
  argMin(x: Value, axis: number, options?: { keepdims?: boolean }): Value;
  /**
   * Returns the k largest (or smallest) elements along an axis, sorted: [values, int64 indices]. A `k` known only at run time is
   * int64 [1]; `dim` names its size.
   */
  topK(x: Value, k: number | Value, axis?: number, options?: { largest?: boolean; dim?: Dim }): [Value, Value];

  /** Looks up rows of a table: axis `axis` of the table is replaced by the dimensions of `indices`. */
  gather(table: Value, indices: Value, axis?: number): Value;
  gatherElements(x: Value, indices: Value, axis: number): Value;
  /** Selects elements or slices at index tuples: indices [..., depth]. */
  gatherND(data: Value, indices: Value): Value;
  scatterElementsAdd(data: Value, indices: Value, updates: Value, axis: number): Value;
  /** Adds to data the sum of the updates that fall on each index tuple (indices [..., depth], updates [..., rest of data]). */
  scatterNDAdd(data: Value, indices: Value, updates: Value): Value;
  /** Adds each slice of dy to that row of `data` from which it was read; this is the gradient of `gather`. */
  scatterRowsAdd(data: Value, indices: Value, dy: Value, axis: number): Value;
  /** Returns a tensor with a new last axis of size `depth`, in which the element at each index is 1 and the others are 0. */
  oneHot(indices: Value, depth: number, dtype?: DataType): Value;

  /**
   * Computes Sₜ₊₁ = decayₜ · Sₜ − leftₜ (rightₜ Sₜ) + addendₜ over the first axis (see ops/recurrence.ts).
   *
   * @returns the last S, and Sₜ for every t [n, batch, d, e]; with `reverse` t runs from the last to the first
   */
  linearRecurrence(recurrence: LinearRecurrence, options?: { reverse?: boolean }): { end: Value; states: Value };

  softmax(x: Value, axis?: number): Value;
  logSoftmax(x: Value, axis?: number): Value;
  /** Applies layer normalization over the last axis. */
  layerNormalization(x: Value, scale: Value, bias: Value | undefined, options: { epsilon: number }): Value;

  /** Returns the size of a symbol at run time; int64 [1]. */
  symbolSize(symbol: string): Value;

  /** Makes a tensor of zeros; no elements are stored in the model unless the shape is small and known. */
  zeros(shape: Shape, dtype?: DataType): Value;
  full(x: number, shape: Shape, dtype?: DataType): Value;
  /** Makes zeros. If `near` has a symbolic size, each run makes them, since a constant would be copied before each write. */
  runtimeZeros(shape: Shape, dtype: DataType, near: Value): Value;
  /** Makes the int64 vector 0, 1, …, size−1. */
  range(size: Dim): Value;
  /** Makes the int64 vector start, …, end−1 for scalars known only at run time; `size` names its length. */
  rangeBetween(start: Value, end: Value, size?: Dim): Value;
  /** Returns a dimension as an int64 scalar. */
  dimScalar(dim: Dim): Value;
  /** Returns the product of dimensions as a float scalar, e.g. the count for a mean. */
  sizeAsFloat(dims: Shape, dtype?: DataType): Value;
  /**
   * Declares symbols for the sizes of pieces of a dimension, which are known only at run time, int64 [pieces], and add up to
   * `total`. `split` and `concat` accept these symbols.
   */
  partition(total: Dim, sizes: Value): Dim[];
  /** Returns dimensions as a 1-D int64 tensor: known ones are constants, symbols are read from the graph's inputs. */
  dimsTensor(dims: Shape): Value;
}
