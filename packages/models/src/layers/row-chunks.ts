// Divides the LM head's rows (tokens) into chunks, so that vocabulary-wide tensors are in memory for one chunk at a time.
import { subtractDims, type GraphBuilder, type Value } from '@bowyer/graph';

/** The least rows of a chunk: ONNX Runtime repacks the head's weight for each chunk, which costs more than smaller ones save. */
const LEAST_ROWS = 256;

/** The largest number of rows of a chunk, and that of the logits in a chunk, 268 MB in float32. */
const MOST_ROWS = 2048;
const MOST_LOGITS = 2 ** 26;

/**
 * Chooses the number of chunks for the LM head: a power of two, so that few graphs are compiled. No chunk is empty, since ONNX
 * Runtime's integer products crash the process with a division by zero if there are no rows.
 *
 * @param wanted the least number of chunks, in order to save memory, a power of two
 */
export function headChunksOf(rows: number, vocabulary: number, wanted = 1): number {
  const most = Math.max(LEAST_ROWS, Math.min(MOST_ROWS, Math.floor(MOST_LOGITS / vocabulary)));
  let chunks = Math.max(wanted, 2 ** Math.ceil(Math.log2(Math.max(1, rows / most))));
  while (chunks > 1 && LEAST_ROWS * (chunks - 1) >= rows) chunks /= 2;
  return chunks;
}

/** Lists the int64 row indices of each chunk; undefined if one chunk contains all rows. */
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
