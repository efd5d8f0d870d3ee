// Adds tensors to selected rows of a table, which is the gradient of Gather and GatherND.
import { sizeOfShape } from './dims.js';
import type { OperatorMethods, Value } from './ir.js';

/** Adds `dy` to the slices of `data` along `axis` that `indices` select. */
export function scatterRowsAdd(g: OperatorMethods, data: Value, indices: Value, dy: Value, axis: number): Value {
  if (axis === 0) {
    // ScatterElements is used because ONNX Runtime's ScatterND adds repeated rows from several threads at once and loses some.
    const width = sizeOfShape(data.shape.slice(1));
    const updates = g.reshape(dy, [sizeOfShape(indices.shape), width]);
    const rows = g.expand(g.reshape(g.cast(indices, 'int64'), [-1, 1]), updates.shape);
    const table = g.reshape(data, [data.dim(0), width]);
    return g.reshape(g.scatterElementsAdd(table, rows, updates, 0), data.shape);
  }
  // The indexed axis is moved to the front for the sum, and back to its place after it.
  const order = [axis, ...data.shape.keys()].filter((a, i) => i === 0 || a !== axis);
  const moved = [...Array(indices.rank).keys()].map((i) => axis + i);
  const dyOrder = [...moved, ...[...dy.shape.keys()].filter((a) => !moved.includes(a))];
  const front = scatterRowsAdd(g, g.transpose(data, order), indices, g.transpose(dy, dyOrder), 0);
  return g.transpose(
    front,
    order.map((_, a) => order.indexOf(a)),
  );
}

/** Adds like `scatterRowsAdd`, but to the elements or slices that the index tuples in `indices` [..., depth] select. */
export function scatterNDAdd(g: OperatorMethods, data: Value, indices: Value, updates: Value): Value {
  const depth = indices.dim(-1) as number;
  const [indexed, rest] = [data.shape.slice(0, depth), data.shape.slice(depth)];
  // Each tuple becomes one row index: Σ index · stride, where the stride of an axis is the product of the later indexed sizes.
  const strides = g.dimsTensor(indexed.map((_, axis) => sizeOfShape(indexed.slice(axis + 1))));
  const rows = g.reduceSum(g.mul(indices, strides), { axes: [-1] });
  const flat = g.reshape(data, [sizeOfShape(indexed), ...rest]);
  return g.reshape(scatterRowsAdd(g, flat, rows, updates, 0), data.shape);
}
