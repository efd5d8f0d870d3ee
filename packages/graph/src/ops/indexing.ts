// Defines the operators that read and write by index. The gradient by an element is the sum over its reads.
import { defineOp, inferSame } from '../op.js';

export const Gather = defineOp('Gather', {
  webgpu: { int32Operand: 1 },
  infer: ({ inputs: [table, indices], attributes, fail }) => {
    if (indices!.dtype !== 'int64' && indices!.dtype !== 'int32') fail('indices must be int64 or int32');
    const axis = attributes.axis as number;
    return [
      {
        dtype: table!.dtype,
        shape: [...table!.shape.slice(0, axis), ...indices!.shape, ...table!.shape.slice(axis + 1)],
      },
    ];
  },
  // Row i of the table gets the sum of the gradients at all positions that read it. These sums are added to the gradient from
  // other uses of the table (tied embeddings), so that a vocabulary-sized tensor of zeros is made at most once.
  gradient: (g, { inputs: [table, indices], dy, attributes }) => [
    (accumulated) =>
      g.scatterRowsAdd(
        accumulated ?? g.runtimeZeros(table!.shape, table!.dtype, indices!),
        indices!,
        dy,
        attributes.axis as number,
      ),
    null,
  ],
});

/** Reads along one axis, with an index for each element of the result. */
export const GatherElements = defineOp('GatherElements', {
  webgpu: { int32Operand: 1 },
  infer: ({ inputs: [x, indices], fail }) => {
    if (x!.rank !== indices!.rank) fail('data and indices must have the same rank');
    return [{ dtype: x!.dtype, shape: indices!.shape }];
  },
  gradient: (g, { inputs: [x, indices], dy, attributes }) => [
    (accumulated) =>
      g.scatterElementsAdd(
        accumulated ?? g.runtimeZeros(x!.shape, x!.dtype, indices!),
        indices!,
        dy,
        attributes.axis as number,
      ),
    null,
  ],
});

export const GatherND = defineOp('GatherND', {
  infer: ({ inputs: [data, indices], fail }) => {
    const depth = indices!.dim(-1);
    if (typeof depth !== 'number') return fail('the last dimension of the indices must be a number');
    return [{ dtype: data!.dtype, shape: [...indices!.shape.slice(0, -1), ...data!.shape.slice(depth)] }];
  },
  gradient: (g, { inputs: [data, indices], dy }) => [
    (accumulated) => g.scatterNDAdd(accumulated ?? g.runtimeZeros(data!.shape, data!.dtype, indices!), indices!, dy),
    null,
  ],
});

export const ScatterElements = defineOp('ScatterElements', {
  webgpu: { int32Operand: 1 },
  float16: 'float32',
  infer: inferSame,
  // From y = data + scatter(updates): data gets dy, and updates get the elements of dy at the indices.
  gradient: (g, { inputs: [, indices], dy, attributes }) => {
    if (attributes.reduction !== 'add') throw new RangeError('ScatterElements has a gradient only with reduction add');
    return [dy, null, g.gatherElements(dy, indices!, attributes.axis as number)];
  },
});

/** Sets 1 at each index along a new last axis; the inputs are indices, depth, [off, on]. */
export const OneHot = defineOp('OneHot', {
  float16: 'float32',
  infer: ({ inputs: [indices, depth, values] }) => [
    { dtype: values!.dtype, shape: [...indices!.shape, Number((depth!.data as BigInt64Array)[0])] },
  ],
});
