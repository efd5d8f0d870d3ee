// Matrix products. Backward products are FusedMatMul with transposition flags, so that no transposed copy is made.
import { broadcastShapes, formatShape, type Dim } from '../dims.js';
import type { Float16Form, GraphNode, InferContext, InputGradient, OperatorMethods, TensorType, Value } from '../ir.js';
import { defineOp } from '../op.js';

/** The longest sum of products in float16: sums over a model's width are shorter, over a vocabulary or a batch's rows longer. */
const LONGEST_FLOAT16_SUM = 16_384;

interface Flags {
  transA: boolean;
  transB: boolean;
  alpha: number;
}

/** [..., m, k] · [..., k, n] = [..., m, n], batch dimensions broadcast; flags swap the last two dimensions of an operand. */
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

/**
 * Y = α A′B′ with A′ = A or Aᵀ, B′ = B or Bᵀ:  dA′ = α dY B′ᵀ,  dB′ = α A′ᵀ dY, each transposed back where its operand was.
 */
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

/** x: [rows, k], dy: [rows, n] → [k, n], or [n, k] for a weight stored transposed. */
function weightGradient(g: OperatorMethods, x: Value, dy: Value, transposed: boolean, alpha: number): Value {
  return transposed ? g.fusedMatMul(dy, x, { transA: true, alpha }) : g.fusedMatMul(x, dy, { transA: true, alpha });
}

/** Sums over a batch's rows or a vocabulary are long; those of attention, [batch, heads, …], are not. */
function productPrecision({ inputs: [a, b], attributes }: GraphNode): Float16Form {
  const inner = a!.dim(attributes.transA ? -2 : -1);
  const isShort = typeof inner === 'number' ? inner <= LONGEST_FLOAT16_SUM : a!.rank > 2 && b!.rank > 2;
  return isShort ? { computes: 'float16', result: 'float16' } : { computes: 'float32', result: 'float32' };
}

const lastTwoSwapped = ({ rank }: Value): number[] => [...Array(rank - 2).keys(), rank - 1, rank - 2];

/** α A′B′ without the fused operator: Gemm for matrices, else MatMul of operands that are transposed and scaled separately. */
function unfusedProduct(g: OperatorMethods, [a, b]: readonly Value[], { attributes }: GraphNode): Value {
  const [transA, transB] = [attributes.transA === 1, attributes.transB === 1];
  const alpha = attributes.alpha as number;
  if (a!.rank === 2 && b!.rank === 2) return g.gemm(a!, b!, undefined, { transA, transB, alpha });
  const left = transA ? g.transpose(a!, lastTwoSwapped(a!)) : a!;
  const right = transB ? g.transpose(b!, lastTwoSwapped(b!)) : b!;
  if (alpha === 1) return g.matMul(left, right);
  // Sizes of heads are numbers, counts of tokens are symbols: the operand with the number is the narrower one.
  const scaleFirst = typeof left.dim(-1) === 'number' && typeof right.dim(-1) !== 'number';
  return scaleFirst ? g.matMul(g.mul(left, alpha), right) : g.mul(g.matMul(left, right), alpha);
}

export const MatMul = defineOp('MatMul', {
  webgpu: 'same',
  float16: productPrecision,
  infer: inferProduct,
  gradient: (g, { inputs: [a, b], dy }) => productGradients(g, a!, b!, dy, { transA: false, transB: false, alpha: 1 }),
});

/** MatMul with operands read transposed and the result scaled, in one kernel; the WebGPU provider does not have it. */
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

/** α A′B′ + β C for matrices; C broadcasts, so it can be a bias row. */
export const Gemm = defineOp('Gemm', {
  webgpu: 'same',
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
