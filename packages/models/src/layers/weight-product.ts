// Computes x · Wᵀ + b with the same weight array [out, in] in training and in decoding; the order of the operands is that which
// is faster for the number of rows of x.
import type { GraphBuilder, Value } from '@bowyer/graph';

/**
 * Names the left operand of a product. ONNX Runtime repacks the right operand at each call if it is a graph input, so that with few rows
 * the large weight is better on the left: (W · xᵀ)ᵀ. Measured with GPT-2's matrices on two cores: weights-left is 1.3 to 2 times faster
 * from 2 to about 64 rows; with a single row (a vector product) rows-left is up to 1.6 times faster, and with many rows both take the
 * same time.
 */
export type OperandOrder = 'rows-left' | 'weights-left';

/** The number of rows from which on both operand orders take the same time, and rows-left saves the transpositions. */
export const FEW_ROWS = 64;

/** A range of numbers of rows, both ends included. */
export type RowRange = readonly [from: number, to: number];

/**
 * The numbers of rows for which weights on the left are faster than packed ones. ONNX Runtime's AVX-512 kernel computes 12 rows by 32
 * columns of a product at a time. Just above a multiple of 12, rows on the left need one more pass over the weights for a few rows; as
 * columns of the other order they fill 16 or 32. Measured on all products of GPT-2 124M, packed against left, in milliseconds: 12 rows
 * 26 and 28, 16 rows 31 and 28, 24 rows 38 and 37, 32 rows 47 and 37; a graph for one token per row saves 2 to 4 in addition.
 */
export const ROWS_AS_COLUMNS: readonly RowRange[] = [
  [13, 16],
  [25, 32],
];

/** The number of elements below which packing costs less than the transpositions of the other order. */
const SMALL_WEIGHT = 1 << 17;

/** Returns whether a parameter of this shape is a matrix whose operand order matters. */
export const isLargeWeight = (shape: readonly number[]) => shape.length === 2 && shape[0] * shape[1] >= SMALL_WEIGHT;

/** Computes x [rows, in] · Wᵀ + b [rows, out] with the operands in the faster order, for weight [out, in] and bias [out]. */
export function weightProduct(
  g: GraphBuilder,
  x: Value,
  weight: Value,
  bias: Value | undefined,
  order: OperandOrder,
): Value {
  if (order === 'rows-left' || !isLargeWeight(weight.shape as number[]))
    return g.gemm(x, weight, bias, { transB: true });
  const product = g.transpose(g.fusedMatMul(weight, x, { transB: true }), [1, 0]);
  return bias ? g.add(product, bias) : product;
}
