// Sums into the rows of a table: the backward of Gather and GatherND.
import { sizeOfShape } from './dims.js';
import type { OperatorMethods, Value } from './ir.js';

/** Adds `dy` to the slices of `data` along `axis` that `indices` name. */
export function scatterRowsAdd(g: OperatorMethods, data: Value, indices: Value, dy: Value, axis: number): Value {
  if (axis === 0) {
    // ScatterElements, because ONNX Runtime's ScatterND adds repeated rows from several threads at once and loses some.
    const width = sizeOfShape(data.shape.slice(1));
    const updates = g.reshape(dy, [sizeOfShape(indices.shape), width]);
    const rows = g.expand(g.reshape(g.cast(indices, 'int64'), [-1, 1]), updates.shape);
    const table = g.reshape(data, [data.dim(0), width]);
    return g.reshape(g.scatterElementsAdd(table, rows, updates, 0), data.shape);
  }
  // Move the indexed axis to the front, add the rows, and move it back.
  const order = [axis, ...data.shape.keys()].filter((a, i) => i === 0 || a !== axis);
  const moved = [...Array(indices.rank).keys()].map((i) => axis + i);
  const dyOrder = [...moved, ...[...dy.shape.keys()].filter((a) => !moved.includes(a))];
  const front = scatterRowsAdd(g, g.transpose(data, order), indices, g.transpose(dy, dyOrder), 0);
  return g.transpose(
    front,
    order.map((_, a) => order.indexOf(a)),
  );
}

/** Adds updates like `scatterRowsAdd`, with index tuples [..., depth]. */
export function scatterNDAdd(g: OperatorMethods, data: Value, indices: Value, updates: Value): Value {
  const depth = indices.dim(-1) as number;
  const [indexed, rest] = [data.shape.slice(0, depth), data.shape.slice(depth)];
  // One row number per tuple: Σ index · stride, the stride of an axis being the size of all later indexed ones.
  const strides = g.dimsTensor(indexed.map((_, axis) => sizeOfShape(indexed.slice(axis + 1))));
  const rows = g.reduceSum(g.mul(indices, strides), { axes: [-1] });
  const flat = g.reshape(data, [sizeOfShape(indexed), ...rest]);
  return g.reshape(scatterRowsAdd(g, flat, rows, updates, 0), data.shape);
}
