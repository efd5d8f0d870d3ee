// Defines the operators that move elements without changing them: views, transposition, concatenation, slicing, padding,
// repetition. Target shapes that depend on symbolic dimensions are operands (int64 tensors); the builder also passes the shape of
// the result.
import { addDims, subtractDims, type Dim } from '../dims.js';
import type { GraphNode, OperatorMethods, Value } from '../ir.js';
import { defineOp, inferSame } from '../op.js';

/** Infers only the type, that of the operand; the builder passes the shape. */
const inferTypeOnly = inferSame;

const defineView = (opType: string) =>
  defineOp(opType, {
    webgpu: { int32Operand: 0 },
    infer: inferTypeOnly,
    gradient: (g, { inputs: [x], dy }) => [g.reshape(dy, x!.shape), null],
  });

export const Reshape = defineView('Reshape');
export const Squeeze = defineView('Squeeze');
export const Unsqueeze = defineView('Unsqueeze');

export const Expand = defineOp('Expand', {
  webgpu: { int32Operand: 0 },
  infer: inferTypeOnly,
  // The gradient by x is the sum over the copies that Expand has made.
  gradient: (g, { inputs: [x], dy }) => [g.sumTo(dy, x!.shape), null],
});

export const Transpose = defineOp('Transpose', {
  webgpu: { int32Operand: 0 },
  infer: ({ inputs: [x], attributes, fail }) => {
    const permutation = attributes.perm as number[];
    if (permutation.length !== x!.rank || new Set(permutation).size !== x!.rank)
      fail(`[${permutation.join()}] is not a permutation of ${x!.rank} axes`);
    return [{ dtype: x!.dtype, shape: permutation.map((axis) => x!.dim(axis)) }];
  },
  // The gradient is permuted by the inverse permutation.
  gradient: (g, { dy, attributes }) => {
    const permutation = attributes.perm as number[];
    return [
      g.transpose(
        dy,
        permutation.map((_, axis) => permutation.indexOf(axis)),
      ),
    ];
  },
});

export const Concat = defineOp('Concat', {
  webgpu: 'int32',
  infer: ({ inputs, attributes, fail }) => {
    const axis = attributes.axis as number;
    const [first] = inputs;
    for (const other of inputs) {
      const fits =
        other.rank === first!.rank &&
        other.dtype === first!.dtype &&
        other.shape.every((dim, i) => i === axis || dim === first!.dim(i));
      if (!fits) fail(`operands must agree in type and in every dimension but axis ${axis}`);
    }
    const shape = first!.shape.map((dim, i) => (i === axis ? inputs.map((x) => x.dim(axis)).reduce(addDims) : dim));
    return [{ dtype: first!.dtype, shape }];
  },
  // Each operand gets the piece of the gradient at its own position.
  gradient: (g, { inputs, dy, attributes }) =>
    g.split(
      dy,
      attributes.axis as number,
      inputs.map((x) => x.dim(attributes.axis as number)),
    ),
});

/** The most pieces of one Split node on WebGPU, which guarantees eight buffers per shader, one of them for the operand. */
const MOST_PIECES = 7;

/** Replaces a Split with many outputs by several, since ONNX Runtime's WebGPU shader (1.30) fails if it has too few buffers. */
function webgpuSplit(
  g: OperatorMethods,
  [x]: readonly Value[],
  { outputs, attributes }: GraphNode,
): Value[] | undefined {
  const axis = attributes.axis as number;
  const sizes = outputs.map((piece) => piece.dim(axis));
  if (sizes.length <= MOST_PIECES || !sizes.every((size) => typeof size === 'number')) return undefined;
  return splitAgain(g, x!, axis, sizes);
}

/** Splits x into large pieces, each of which covers up to `MOST_PIECES` of the sizes, and then splits it into these. */
function splitAgain(g: OperatorMethods, x: Value, axis: number, sizes: readonly number[]): Value[] {
  if (sizes.length <= MOST_PIECES) return g.split(x, axis, sizes);
  const parts = Array.from({ length: Math.ceil(sizes.length / MOST_PIECES) }, (_, i) =>
    sizes.slice(i * MOST_PIECES, (i + 1) * MOST_PIECES),
  );
  const total = (part: number[]) => part.reduce((sum, size) => sum + size, 0);
  return splitAgain(g, x, axis, parts.map(total)).flatMap((part, i) => g.split(part, axis, parts[i]!));
}

export const Split = defineOp('Split', {
  webgpu: webgpuSplit,
  infer: ({ inputs: [x], attributes }) =>
    Array.from({ length: attributes._parts as number }, () => ({ dtype: x!.dtype, shape: x!.shape })),
  // The gradient by x is the concatenation of the gradients by the pieces, with zeros for a piece that the loss does not use.
  gradient: (g, { outputs, dys, attributes }) => [
    g.concat(
      outputs.map((piece, i) => dys[i] ?? g.zeros(piece.shape, piece.dtype)),
      attributes.axis as number,
    ),
    null,
  ],
});

/** Keeps the elements from _start to _end − 1 of one axis. */
export const Slice = defineOp('Slice', {
  webgpu: { int32Operand: 0 },
  infer: inferTypeOnly,
  // The gradient by x is dy, with zeros for the elements that Slice has cut off.
  gradient: (g, { inputs: [x], dy, attributes }) => {
    const { _axis: axis, _start: start, _end: end } = attributes as { _axis: number; _start: Dim; _end: Dim };
    return [g.pad(dy, axis, start, subtractDims(x!.dim(axis), end)), null, null, null];
  },
});

/** Extends one axis by `_before` and `_after` elements of a constant. */
export const Pad = defineOp('Pad', {
  infer: inferTypeOnly,
  // The gradient by x is dy without the elements that Pad has added.
  gradient: (g, { inputs: [x], dy, attributes }) => {
    const { _axis: axis, _before: before } = attributes as { _axis: number; _before: Dim };
    return [g.slice(dy, axis, before, addDims(before, x!.dim(axis))), null, null, null];
  },
});

export const Tile = defineOp('Tile', {
  infer: inferTypeOnly,
  // The gradient by x is the sum over the copies: dy [n·a, …] is reshaped to [n, a, …] and summed over n.
  gradient: (g, { inputs: [x, repeats], dy }) => {
    const counts = Array.from(repeats!.data as BigInt64Array, Number);
    const copies = g.reshape(
      dy,
      x!.shape.flatMap((dim, axis): Dim[] => [counts[axis]!, dim]),
    );
    return [g.reduceSum(copies, { axes: counts.map((_, axis) => 2 * axis) }), null];
  },
});

/** Returns the int64 sizes of the axes start…end of a tensor, from which symbolic dimensions are read at run time. */
export const ShapeOf = defineOp('Shape', {
  infer: ({ attributes }) => [{ dtype: 'int64', shape: [(attributes.end as number) - (attributes.start as number)] }],
});

/** Returns the integers start, start + step, … below a limit. */
export const Range = defineOp('Range', {
  webgpu: 'always int32',
  infer: ({ inputs: [start] }) => [{ dtype: start!.dtype, shape: [] }],
});

/** Keeps the lower (`upper` 0) or upper triangle of the last two dimensions; the rest becomes zero. Input 1 shifts the diagonal. */
export const Trilu = defineOp('Trilu', {
  infer: inferSame,
  gradient: (g, { inputs: [, shift], dy, attributes }) => [g.apply(Trilu, [dy, shift], attributes)[0]!, null],
});
