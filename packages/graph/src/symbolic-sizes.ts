// Makes tensors whose shape or contents depend on symbolic dimensions, computed while the graph runs.
import { canonicalDim, canonicalShape, dimTerms, sizeOfShape, type Dim, type Shape } from './dims.js';
import type { DataType } from './dtype.js';
import type { OperatorMethods, Value } from './ir.js';

/** The largest number of elements of a constant that is stored in the model; a larger one is expanded from a scalar. */
const STORED_CONSTANT_SIZE = 64;

export function full(g: OperatorMethods, x: number, shape: Shape, dtype: DataType): Value {
  const size = sizeOfShape(canonicalShape(shape));
  if (typeof size === 'number' && size <= STORED_CONSTANT_SIZE)
    return g.constant(Array<number>(size).fill(x), shape as number[], dtype);
  return g.expand(g.scalar(x, dtype), shape);
}

/**
 * Returns the shape that `runtimeZeros` expands to, as a value that depends on a symbolic size of `near`. Otherwise ONNX Runtime
 * would compute the zeros once as a constant, keep them as long as the session, and copy them before each write into them.
 * Undefined if `near` has no symbolic size.
 */
export function runtimeShape(g: OperatorMethods, shape: Shape, near: Value): Value | undefined {
  const symbol = near.shape.find((dim) => typeof dim === 'string');
  return symbol === undefined ? undefined : g.add(g.dimsTensor(shape), g.mul(g.dimScalar(symbol), 0));
}

export function dimScalar(g: OperatorMethods, dim: Dim): Value {
  return typeof dim === 'number' ? g.scalar(dim, 'int64') : g.reshape(g.dimsTensor([dim]), []);
}

export function sizeAsFloat(g: OperatorMethods, dims: Shape, dtype: DataType): Value {
  const size = sizeOfShape(dims);
  return typeof size === 'number' ? g.scalar(size, dtype) : g.cast(g.dimScalar(size), dtype);
}

/** Returns an int64 vector of the dimensions; adjacent known dimensions form one constant. */
export function dimsTensor(g: OperatorMethods, dims: Shape): Value {
  const pieces: Value[] = [];
  let known: number[] = [];
  const flush = () => {
    if (known.length > 0) pieces.push(g.int64s(known));
    known = [];
  };
  for (const dim of dims.map(canonicalDim)) {
    if (typeof dim === 'number') known.push(dim);
    else {
      flush();
      pieces.push(symbolicSize(g, dim));
    }
  }
  flush();
  return pieces.length === 0 ? g.int64s([]) : g.concat(pieces, 0);
}

/** Computes a dimension that is an expression over symbols at run time, as int64 [1]. */
function symbolicSize(g: OperatorMethods, dim: string): Value {
  let sum: Value | undefined;
  for (const [symbols, coefficient] of dimTerms(dim)) {
    const factors = symbols
      .split('*')
      .filter(Boolean)
      .map((symbol) => g.symbolSize(symbol));
    if (coefficient !== 1 || factors.length === 0) factors.push(g.int64s([coefficient]));
    const term = factors.reduce((a, b) => g.mul(a, b));
    sum = sum ? g.add(sum, term) : term;
  }
  return sum!;
}
