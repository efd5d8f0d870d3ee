// Matrix products. Backward products are FusedMatMul with transposition flags, so that no transposed copy is made.
import { broadcastShapes, formatShape, type Dim } from '../dims.js';
import type { GraphBuilder } from '../builder.js';
import { defineOp, type InferContext, type InputGradient, type TensorType } from '../op.js';
import type { Value } from '../value.js';

interface Flags {
  transA: boolean;
  transB: boolean;
  alpha: number;
}

/** [..., m, k] · [..., k, n] = [..., m, n], batch dimensions broadcast; flags swap the last two dimensions of an operand. */
function inferProduct({ inputs: [a, b], attributes, fail }: InferContext): TensorType[] {
  if (a!.rank < 2 || b!.rank < 2) fail('both operands need at least two dimensions; unsqueeze a vector first');
  if (a!.dtype !== b!.dtype) fail('operands must have one type');
  const [m, k] = attributes.transA ? [a!.dim(-1), a!.dim(-2)] : [a!.dim(-2), a!.dim(-1)];
  const [k2, n] = attributes.transB ? [b!.dim(-1), b!.dim(-2)] : [b!.dim(-2), b!.dim(-1)];
  if (k !== k2) fail(`inner dimensions differ: ${k} and ${k2}`);
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
  g: GraphBuilder,
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
function weightGradient(g: GraphBuilder, x: Value, dy: Value, transposed: boolean, alpha: number): Value {
  return transposed ? g.fusedMatMul(dy, x, { transA: true, alpha }) : g.fusedMatMul(x, dy, { transA: true, alpha });
}

export const MatMul = defineOp('MatMul', {
  infer: inferProduct,
  gradient: (g, { inputs: [a, b], dy }) => productGradients(g, a!, b!, dy, { transA: false, transB: false, alpha: 1 }),
});

/** MatMul with operands read transposed and the result scaled, in one kernel. */
export const FusedMatMul = defineOp('FusedMatMul', {
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
