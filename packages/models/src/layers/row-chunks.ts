// Scored rows in chunks: what is as wide as the vocabulary is in memory for one chunk at a time.
import { subtractDims, type GraphBuilder, type Value } from '@bowyer/graph';

/** Smaller chunks would cost more in packing the head's weight again than they spare. */
const LEAST_ROWS = 256;

/** Rows whose logits are in memory at once, and logits that they have together: 268 MB. Large vocabularies have fewer rows. */
const MOST_ROWS = 2048;
const MOST_LOGITS = 2 ** 26;

/**
 * Chooses the chunks in which so many rows go through the head: a power of two, so that few graphs are compiled. None of them is empty:
 * ONNX Runtime ends the process with a division by zero where it multiplies no rows as integers.
 *
 * @param wanted the number of chunks for a little memory, a power of two
 */
export function headChunksOf(rows: number, vocabulary: number, wanted = 1): number {
  const most = Math.max(LEAST_ROWS, Math.min(MOST_ROWS, Math.floor(MOST_LOGITS / vocabulary)));
  let chunks = Math.max(wanted, 2 ** Math.ceil(Math.log2(Math.max(1, rows / most))));
  while (chunks > 1 && LEAST_ROWS * (chunks - 1) >= rows) chunks /= 2;
  return chunks;
}

/** Lists the int64 row numbers of each chunk; undefined if one chunk contains them all. */
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
