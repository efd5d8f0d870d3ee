// Divides rows (token sequences) into batches that contain little padding.

/** The fixed cost of a batch, in tokens (starting its computation, adding up gradients); it worked well in trials. */
export const BATCH_PRICE = 64;

/**
 * Cuts rows, sorted by length, into batches of the least total cost. A batch pads each of its columns to the longest text in it:
 *
 *     cost = Σ over batches  ( rows · Σ over columns max length  +  BATCH_PRICE )
 *
 * The minimum is exact: a shortest path over the cuts, in O(rows · rows of a batch).
 *
 * @param lengths [rows][columns] tokens of each row's texts: one column for plain sequences, two where each row has, say, a
 *   source and a target, which are padded separately. Rows are sorted by the first column.
 * @param maxTokens the most tokens of a batch including padding; a longer single row becomes a batch with one row
 * @returns batches of row indices, the batch with the longest rows first; within a batch the longest row is last. The result
 *   depends on the lengths alone.
 */
export function lengthBatches(lengths: readonly (readonly number[])[], maxTokens: number): number[][] {
  const order = lengths.map((_, row) => row).sort((a, b) => compare(lengths[a], lengths[b]) || a - b);
  // By number of rows `end`: the least cost of the first `end` rows, and the row at which their last batch begins.
  const cost = [0];
  const begins = [0];
  for (let end = 1; end <= order.length; end++) {
    cost[end] = Infinity;
    const longest = [...lengths[order[end - 1]]];
    for (let begin = end - 1; begin >= 0; begin--) {
      const tokens = (end - begin) * widthWith(longest, lengths[order[begin]]);
      if (tokens > maxTokens && begin < end - 1) break;
      const whole = cost[begin] + tokens + BATCH_PRICE;
      if (whole > cost[end]) continue;
      cost[end] = whole;
      begins[end] = begin;
    }
  }
  const batches: number[][] = [];
  for (let end = order.length; end > 0; end = begins[end]) batches.push(order.slice(begins[end], end));
  return batches;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const column = a.findIndex((length, i) => length !== b[i]);
  return column < 0 ? 0 : a[column] - b[column];
}

/** Raises the column widths `longest` in place to the lengths of one more row. @returns the sum of the widths */
function widthWith(longest: number[], row: readonly number[]): number {
  let width = 0;
  for (let column = 0; column < longest.length; column++) {
    if (row[column] > longest[column]) longest[column] = row[column];
    width += longest[column];
  }
  return width;
}
