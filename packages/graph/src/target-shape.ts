// Computes the shapes that result from reshape, split or slice, with symbolic dimensions.
import {
  addDims,
  canonicalDim,
  canonicalShape,
  divideDims,
  formatShape,
  sizeOfShape,
  type Dim,
  type Shape,
} from './dims.js';
import { GraphBuildError } from './errors.js';
import type { Value } from './ir.js';

/** Returns the shape of `reshape(x, dims)`: a dimension −1 is inferred from the number of elements. */
export function reshapedShape(x: Value, dims: Shape): Dim[] {
  const unknown = dims.indexOf(-1);
  const total = sizeOfShape(x.shape);
  if (unknown < 0) {
    const shape = canonicalShape(dims);
    const size = sizeOfShape(shape);
    if (size !== total)
      throw new GraphBuildError('Reshape', [x], `has ${total} elements, but ${formatShape(shape)} contains ${size}`);
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

/** Returns ONNX's Reshape operand, where 0 copies x's dimension and −1 is inferred; undefined if it cannot be written so. */
export function constantReshapeTarget(from: Shape, to: Shape): number[] | undefined {
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
  // In ONNX's Reshape, 0 means "copy", so a target with an actual size of zero must be computed at run time.
  return to.includes(0) ? undefined : target;
}

/** Returns the size of each piece if an axis is split into `parts` equal pieces. */
export function equalPart(x: Value, axis: number, parts: number): Dim {
  const size = divideDims(x.dim(axis), parts);
  if (size === undefined)
    throw new GraphBuildError('Split', [x], `axis ${axis} of size ${x.dim(axis)} does not divide into ${parts} parts`);
  return size;
}

/** Returns a position on an axis as a number from its start; a negative position counts from the end. */
export const positionOn = (size: Dim, position: Dim): Dim =>
  typeof position === 'number' && position < 0 ? addDims(size, position) : canonicalDim(position);
