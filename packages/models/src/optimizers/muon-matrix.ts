// Builds Muon's step for one matrix as a graph.
import { GraphBuilder, type Value } from '@bowyer/graph';

/** The coefficients of a polynomial that, applied five times, maps singular values between 0 and 1 to between about 0.7 and 1.2. */
const NEWTON_SCHULZ = { steps: 5, a: 3.4445, b: -4.775, c: 2.0315 };
const smallestNorm = 1e-7;

/**
 * Computes a matrix that has the singular vectors of x [rows, columns], and singular values near 1.
 *
 *     X₀ = x / ‖x‖,   X ← a X + (b G + c G²) X with G = X Xᵀ, or X ← a X + X (b G + c G²) with G = Xᵀ X if that is smaller
 *
 * Source: Jordan et al. 2024, Muon, with its coefficients; like torch.optim.Muon, but in float32 instead of bfloat16.
 */
function orthogonalized(g: GraphBuilder, x: Value, isTall: boolean): Value {
  const { steps, a, b, c } = NEWTON_SCHULZ;
  let result = g.div(x, g.max(g.sqrt(g.reduceSumSquare(x)), smallestNorm));
  for (let step = 0; step < steps; step++) {
    const gram = g.gemm(result, result, undefined, { transA: isTall, transB: !isTall });
    const polynomial = g.gemm(gram, gram, gram, { alpha: c, beta: b });
    const [left, right] = isTall ? [result, polynomial] : [polynomial, result];
    result = g.gemm(left, right, result, { beta: a });
  }
  return result;
}

/** The scalars of a matrix's step: `scale` multiplies the gradient, `keep` is 1 − lr · λ, `length` is lr · 0.2 √(longer side). */
export const matrixNumbers = ['scale', 'momentum', 'gradientShare', 'bufferShare', 'keep', 'length'] as const;
type MatrixNumbers = Record<(typeof matrixNumbers)[number], Value>;

export function matrixUpdate(
  g: GraphBuilder,
  { p, g: summed, b }: Record<'p' | 'g' | 'b', Value>,
  { scale, momentum, gradientShare, bufferShare, keep, length }: MatrixNumbers,
  isTall: boolean,
): Record<'p' | 'b', Value> {
  const gradient = g.mul(summed, scale);
  const buffer = g.add(g.mul(b, momentum), gradient);
  const ahead = g.add(g.mul(gradient, gradientShare), g.mul(buffer, bufferShare));
  return { p: g.sub(g.mul(p, keep), g.mul(orthogonalized(g, ahead, isTall), length)), b: buffer };
}

/** Builds the step for matrices of any size: inputs p, g, b [rows, columns] and the step's scalars; outputs new_p, new_b. */
export function matrixProgram(isTall: boolean): GraphBuilder {
  const g = new GraphBuilder('muon');
  const matrix = (name: string) => g.input(name, 'float32', ['rows', 'columns']);
  const tensors = { p: matrix('p'), g: matrix('g'), b: matrix('b') };
  const numbers = Object.fromEntries(matrixNumbers.map((name) => [name, g.input(name, 'float32', [])]));
  const { p, b } = matrixUpdate(g, tensors, numbers as MatrixNumbers, isTall);
  g.output('new_p', p);
  g.output('new_b', b);
  return g;
}

/** The factor that makes the update's root mean square about that of AdamW (Liu et al. 2025, arXiv:2502.16982, eq. 4). */
export const sizeScaleOf = ([rows, columns]: readonly number[]): number => 0.2 * Math.sqrt(Math.max(rows, columns));

export const isTall = ([rows, columns]: readonly number[]): boolean => rows > columns;
