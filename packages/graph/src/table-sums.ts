// Sums over runs of what is scattered into a table of zeros: the rows go straight into the sum. A table of 50,265 words has some
// hundred rows with a gradient in a run, so that zeros, their copy and their addition would move 150 MB four times.
import type { Graph } from './graph.js';
import type { Value } from './ir.js';

/** In smaller tables little is gained, and their sums keep the order of their terms. */
const LEAST_ELEMENTS = 1 << 22;

interface TableSum {
  /** The table without its rows: all zeros, read by the first scatter alone. */
  zeros: Value;
  sum: Value;
}

/** Finds the accumulated outputs that are rows added to a large table of zeros, by name. */
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

/**
 * Finds the zeros that a sum of scattered rows begins with, or returns undefined.
 *
 * @param readers how often a value is read, by nodes or as an output
 */
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
