// Scored rows in chunks: what is as wide as the vocabulary is in memory for one chunk at a time.
import { subtractDims, type GraphBuilder, type Value } from '@bowyer/graph';

/** Smaller chunks would cost more in packing the head's weight again than they spare. */
const LEAST_ROWS = 256;

/** Rows of a forward pass whose logits are in memory at once: 262 MB with a vocabulary of 32,000 tokens. */
const MOST_ROWS = 2048;

/** Chooses the chunks in which so many rows go through the head: a power of two, so that few graphs are compiled, none of them empty. */
export const headChunksOf = (rows: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, rows / MOST_ROWS)));

/** Lists the int64 row numbers of each chunk; undefined if one chunk contains them all. The last ones may be empty. */
export function chunkIndices(g: GraphBuilder, rows: Value, chunks: number): (Value | undefined)[] {
  if (chunks === 1) return [undefined];
  const total = g.dimScalar(rows.dim(0));
  let left = rows.dim(0);
  const size = g.max(g.div(g.add(total, chunks - 1), chunks), LEAST_ROWS);
  const bound = (i: number) => (i === chunks ? total : g.min(g.mul(size, i), total));
  return Array.from({ length: chunks }, (_, i) => {
    const indices = g.rangeBetween(bound(i), bound(i + 1), i === chunks - 1 ? left : undefined);
    left = subtractDims(left, indices.dim(0));
    return indices;
  });
}
