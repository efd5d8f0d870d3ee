// Which rows go through a network together, so that little of what goes through is padding.

/** The cost of one more batch beside its tokens, in tokens: its start, its gradients' way into their sums. A guess that was tried. */
const BATCH_PRICE = 64;

/**
 * Cuts rows, sorted by length, into batches of the least total cost. A batch pads each of its columns to its own longest:
 *
 *     cost = Σ over batches  ( rows · Σ over columns max length  +  BATCH_PRICE )
 *
 * found exactly, as a shortest path over the cuts; the time is O(rows · rows of a batch).
 *
 * @param lengths [rows][columns] tokens of each row's texts: one column for plain sequences, two where each row has, say, a source
 *     and a target, which are matrices of their own. The first one is what rows are sorted by.
 * @param maxTokens most tokens of a batch with its padding; a longer single row is a batch of its own
 * @returns rows by their indices, the longest batch first, a batch's longest row last. Depends on the lengths alone.
 */
export function lengthBatches(lengths: readonly (readonly number[])[], maxTokens: number): number[][] {
  const order = lengths.map((_, row) => row).sort((a, b) => compare(lengths[a], lengths[b]) || a - b);
  // For the first `end` rows: the least cost, and where the last batch of that way begins.
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

/** Raises `longest` to include one more row. @returns its sum */
function widthWith(longest: number[], row: readonly number[]): number {
  let width = 0;
  for (let column = 0; column < longest.length; column++) {
    if (row[column] > longest[column]) longest[column] = row[column];
    width += longest[column];
  }
  return width;
}
