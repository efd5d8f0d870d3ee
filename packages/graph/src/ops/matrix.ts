// Defines matrix products. Their gradients are FusedMatMul with transposition flags, so that no transposed copy is made.
import { broadcastShapes, formatShape, sizeOfShape, type Dim } from '../dims.js';
import type { Float16Form, GraphNode, InferContext, InputGradient, OperatorMethods, TensorType, Value } from '../ir.js';
import { defineOp } from '../op.js';

/** The most terms of a sum in float16: sums over a model's width have fewer, those over a vocabulary or a batch more. */
const LONGEST_FLOAT16_SUM = 16_384;

interface Flags {
  transA: boolean;
  transB: boolean;
  alpha: number;
}

/** Infers [..., m, k] · [..., k, n] = [..., m, n]; batch dimensions are broadcast, transA and transB swap the last two. */
function inferProduct({ inputs: [a, b], attributes, fail }: InferContext): TensorType[] {
  if (a!.rank < 2 || b!.rank < 2) fail('both operands need at least two dimensions; unsqueeze a vector first');
  if (a!.dtype !== b!.dtype) fail('operands must have the same type');
  const [m, k] = attributes.transA ? [a!.dim(-1), a!.dim(-2)] : [a!.dim(-2), a!.dim(-1)];
  const [k2, n] = attributes.transB ? [b!.dim(-1), b!.dim(-2)] : [b!.dim(-2), b!.dim(-1)];
  if (k !== k2) fail(`the inner dimensions are ${k} and ${k2}; they must be equal`);
  const batch: Dim[] =
    broadcastShapes(a!.shape.slice(0, -2), b!.shape.slice(0, -2)) ??
    fail(
      `batch dimensions ${formatShape(a!.shape.slice(0, -2))} and ${formatShape(b!.shape.slice(0, -2))} do not broadcast`,
    );
  return [{ dtype: a!.dtype, shape: [...batch, m!, n!] }];
}

/** Computes dA′ = α dY B′ᵀ and dB′ = α A′ᵀ dY of Y = α A′B′, with A′ = A or Aᵀ, B′ = B or Bᵀ; each is transposed back. */
function productGradients(
  g: OperatorMethods,
  a: Value,
  b: Value,
  dy: Value,
  { transA, transB, alpha }: Flags,
): InputGradient[] {
  if (b.rank === 2 && a.rank > 2 && !transA) {
    // [..., m, k] · [k, n] is one flat product [rows, k] · [k, n]: the weight's gradient is then a single product over all rows.
    const [rows, dyRows] = [g.reshape(a, [-1, a.dim(-1)]), g.reshape(dy, [-1, dy.dim(-1)])];
    const da = g.fusedMatMul(dy, b, { transB: !transB, alpha });
    return [da, weightGradient(g, rows, dyRows, transB, alpha)];
  }
  const da = transA
    ? g.fusedMatMul(b, dy, { transA: transB, transB: true, alpha })
    : g.fusedMatMul(dy, b, { transB: !transB, alpha });
  const db = transB
    ? g.fusedMatMul(dy, a, { transA: true, transB: transA, alpha })
    : g.fusedMatMul(a, dy, { transA: !transA, alpha });
  return [g.sumTo(da, a.shape), g.sumTo(db, b.shape)];
}

/** Computes the gradient by a weight from x [rows, k] and dy [rows, n]: [k, n], or [n, k] for a weight stored transposed. */
function weightGradient(g: OperatorMethods, x: Value, dy: Value, transposed: boolean, alpha: number): Value {
  return transposed ? g.fusedMatMul(dy, x, { transA: true, alpha }) : g.fusedMatMul(x, dy, { transA: true, alpha });
}

/** Returns a product's float16 form: long sums, over a batch's rows or a vocabulary, are in float32; attention's are short. */
function productPrecision({ inputs: [a, b], attributes }: GraphNode): Float16Form {
  const inner = a!.dim(attributes.transA ? -2 : -1);
  const isShort = typeof inner === 'number' ? inner <= LONGEST_FLOAT16_SUM : a!.rank > 2 && b!.rank > 2;
  return isShort ? { computes: 'float16', result: 'float16' } : { computes: 'float32', result: 'float32' };
}

/**
 * The number of elements that ONNX Runtime's WebGPU kernel for products (1.30) reads at once, if the inner and the right outer
 * dimension are multiples of four. Gemm with a transposed right operand is slow in any case: 6 instead of 22 TFLOP/s on an H100, where
 * transposing a weight takes a hundredth of the product's time.
 */
const VECTOR = 4;

/** The least dimension that is padded to a multiple of four; for smaller ones, the padding kernels cost more than they save. */
const LEAST_PADDED = 64;

/** The least number of elements of a matrix that is transposed; for smaller ones, the transposition costs more than it saves. */
const LEAST_TRANSPOSED = 1 << 16;

/** The least rows of the left operand for which the right one is transposed; with fewer, that takes as long as the product. */
const MANY_ROWS = 64;

/** Returns whether rows are many. Decoding one token at a time has `batch` rows; other symbols occur in prompts and training. */
const isMany = (rows: Dim): boolean => (typeof rows === 'number' ? rows >= MANY_ROWS : rows !== 'batch');

const isLong = (dim: Dim): boolean => typeof dim === 'string' || dim >= LEAST_PADDED;

const isLarge = ({ shape }: Value): boolean => {
  const size = sizeOfShape(shape);
  return typeof size === 'string' || size >= LEAST_TRANSPOSED;
};

/** Counts the zeros that pad a long dimension to a multiple of four; 0 for a symbol, whose size is not known. */
const missing = (dim: Dim): number =>
  typeof dim === 'string' || !isLong(dim) ? 0 : (VECTOR - (dim % VECTOR)) % VECTOR;

const lastTwoSwapped = ({ rank }: Value): number[] => [...Array(rank - 2).keys(), rank - 1, rank - 2];

const swapped = (g: OperatorMethods, x: Value): Value => g.transpose(x, lastTwoSwapped(x));

/** Counts the zeros by which the inner dimension and the columns of the product A B′ become multiples of four. */
function zerosFor(a: Value, b: Value, transB: boolean): { inner: number; outer: number } {
  const [k, n] = [a.dim(-1), b.dim(transB ? -2 : -1)];
  const isWorthIt = isMany(a.dim(-2)) && isLong(k) && isLong(n);
  return isWorthIt ? { inner: missing(k), outer: missing(n) } : { inner: 0, outer: 0 };
}

/** Computes A B′ as MatMul of operands padded with zeros. */
function paddedProduct(g: OperatorMethods, a: Value, b: Value, transB: boolean): Value {
  const { inner, outer } = zerosFor(a, b, transB);
  const [innerAxis, outerAxis] = transB ? [-1, -2] : [-2, -1];
  const right = g.pad(g.pad(b, innerAxis, 0, inner), outerAxis, 0, outer);
  const product = g.matMul(g.pad(a, -1, 0, inner), transB ? swapped(g, right) : right);
  return outer === 0 ? product : g.slice(product, -1, 0, b.dim(outerAxis));
}

/** Pads the operands of a MatMul with zeros; returns undefined if they need no padding. */
function webgpuMatMul(g: OperatorMethods, [a, b]: readonly Value[]): Value | undefined {
  const { inner, outer } = zerosFor(a!, b!, false);
  return inner + outer > 0 ? paddedProduct(g, a!, b!, false) : undefined;
}

/** Computes α A′B′ without FusedMatMul, which WebGPU lacks: like a Gemm, or by separately transposed and scaled operands. */
function unfusedProduct(g: OperatorMethods, operands: readonly Value[], node: GraphNode): Value {
  const [a, b] = operands as [Value, Value];
  const { attributes } = node;
  const [transA, transB] = [attributes.transA === 1, attributes.transB === 1];
  const alpha = attributes.alpha as number;
  if (a.rank === 2 && b.rank === 2)
    return webgpuGemm(g, [a, b], node) ?? g.gemm(a, b, undefined, { transA, transB, alpha });
  const product = (left: Value) => paddedProduct(g, transA ? swapped(g, left) : left, b, transB);
  if (alpha === 1) return product(a);
  // The factor α is applied to the operands or to the result, whichever has fewer elements. In attention, head sizes are numbers
  // and token counts are symbols, so a tensor whose last dimension is a number is taken to be smaller.
  const [inner, columns] = [a.dim(transA ? -2 : -1), b.dim(transB ? -2 : -1)];
  const scaleFirst = typeof inner === 'number' && typeof columns !== 'number';
  return scaleFirst ? product(g.mul(a, alpha)) : g.mul(product(a), alpha);
}

/** Replaces a Gemm by a form that is faster on WebGPU; returns undefined if no form is faster. */
function webgpuGemm(g: OperatorMethods, [a, b, c]: readonly Value[], { attributes }: GraphNode): Value | undefined {
  const [transA, transB] = [attributes.transA === 1, attributes.transB === 1];
  const { alpha, beta = 1 } = attributes as Record<string, number>;
  if (transA && !transB && !c) return withPaddedRows(g, a!, b!, alpha!);
  const isPlain = alpha === 1 && (!c || (beta === 1 && c.rank > 0));
  if (transA || !transB || !isPlain || attributes._fewRows || !isMany(a!.dim(0)) || !isLarge(b!)) return undefined;
  const product = paddedProduct(g, a!, b!, true);
  if (!c) return product;
  // The additional axis prevents ONNX Runtime from fusing the product and the addition of the bias into a Gemm again.
  return g.squeeze(g.add(product, g.reshape(c, [...Array<Dim>(3 - c.rank).fill(1), ...c.shape])), 0);
}

/** Computes α AᵀB with A's rows padded to multiples of four, which the kernel reads at once; undefined if they are multiples. */
function withPaddedRows(g: OperatorMethods, a: Value, b: Value, alpha: number): Value | undefined {
  const zeros = isLong(a.dim(0)) && isLong(b.dim(1)) ? missing(a.dim(1)) : 0;
  if (zeros === 0) return undefined;
  return g.slice(g.gemm(g.pad(a, 1, 0, zeros), b, undefined, { transA: true, alpha }), 0, 0, a.dim(1));
}

export const MatMul = defineOp('MatMul', {
  webgpu: webgpuMatMul,
  float16: productPrecision,
  infer: inferProduct,
  gradient: (g, { inputs: [a, b], dy }) => productGradients(g, a!, b!, dy, { transA: false, transB: false, alpha: 1 }),
});

/** Multiplies matrices that may be transposed, and scales the result, in one kernel; the WebGPU provider does not have it. */
export const FusedMatMul = defineOp('FusedMatMul', {
  webgpu: unfusedProduct,
  float16: productPrecision,
  domain: 'com.microsoft',
  floatAttributes: ['alpha'],
  infer: inferProduct,
  gradient: (g, { inputs: [a, b], dy, attributes }) =>
    productGradients(g, a!, b!, dy, {
      transA: attributes.transA === 1,
      transB: attributes.transB === 1,
      alpha: attributes.alpha as number,
    }),
});

/** Computes α A′B′ + β C for matrices; C broadcasts, so it can be a bias row. */
export const Gemm = defineOp('Gemm', {
  webgpu: webgpuGemm,
  float16: productPrecision,
  floatAttributes: ['alpha', 'beta'],
  infer: (context) => {
    const [product] = inferProduct(context);
    const [a, b, c] = context.inputs;
    if (a!.rank !== 2 || b!.rank !== 2) context.fail('operands must be matrices; reshape or use matMul');
    if (c && !broadcastShapes(c.shape, product!.shape)?.every((dim, i) => dim === product!.shape[i])) {
      context.fail(`the bias does not broadcast to the product ${formatShape(product!.shape)}`);
    }
    return [product!];
  },
  gradient: (g, { inputs: [a, b, c], dy, attributes }) => {
    const { transA, transB, alpha, beta } = attributes as Record<string, number>;
    const [da, db] = productGradients(g, a!, b!, dy, { transA: transA === 1, transB: transB === 1, alpha: alpha! });
    return [da!, db!, c ? g.mul(g.sumTo(dy, c.shape), beta!) : null];
  },
});
