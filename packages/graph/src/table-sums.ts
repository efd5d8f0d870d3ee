// Finds accumulated outputs that are rows added to a table of zeros, such as the gradient of an embedding, so that the rows are
// added to the accumulator directly. In a table of 50,265 tokens, some hundred rows have a gradient in a run; making the zeros,
// copying and adding them would move 150 MB four times.
import type { Graph } from './graph.js';
import type { Value } from './ir.js';

/** The least elements of such a table. Smaller ones gain little, and keep the order of the terms in their sums. */
const LEAST_ELEMENTS = 1 << 22;

interface TableSum {
  /** The table of zeros to which the first rows are added; nothing else reads it. */
  zeros: Value;
  sum: Value;
}

/** Finds, by the output's name, the accumulated outputs that are rows added to a large table of zeros. */
export function tableSums(graph: Graph, accumulate: ReadonlySet<string>): Map<string, TableSum> {
  const readers = new Map<Value, number>();
  const count = (value: Value | undefined) => value && readers.set(value, (readers.get(value) ?? 0) + 1);
  if (accumulate.size > 0) for (const { inputs } of graph.nodes) inputs.forEach(count);
  graph.outputs.forEach(count);
  const sums = [...graph.outputs].flatMap(([name, sum]): [string, TableSum][] => {
    const zeros = accumulate.has(name) && isLarge(sum) ? zerosBelow(sum, readers) : undefined;
    return zeros ? [[name, { zeros, sum }]] : [];
  });
  return new Map(sums);
}

const isLarge = ({ shape }: Value): boolean =>
  shape.reduce<number>((size, dim) => size * (typeof dim === 'number' ? dim : NaN), 1) >= LEAST_ELEMENTS;

/** Finds the zeros below a chain of scatters, or undefined. @param readers how often each value is read, also as an output */
function zerosBelow(sum: Value, readers: ReadonlyMap<Value, number>): Value | undefined {
  let value = sum;
  let scatters = 0;
  while (readers.get(value) === 1) {
    const { node } = value;
    if (node?.op.opType === 'Expand' && node.inputs[0]!.data?.every((x) => Number(x) === 0))
      return scatters > 0 ? value : undefined;
    if (node?.op.opType === 'ScatterElements' && node.attributes.reduction === 'add') scatters++;
    else if (node?.op.opType !== 'Reshape') return undefined;
    value = node.inputs[0]!;
  }
  return undefined;
}
