// Moves rows of a KV cache's arrays in place, without a second array.

/** Says where a row begins before and after the move, and how much of it is moved; all numbers are in positions. */
export interface RowPlace {
  from: number;
  /** The row's capacity before the move. */
  before: number;
  to: number;
  /** The row's capacity after the move. */
  after: number;
  used: number;
  /** Whether the row is swapped with another row, so that its index changes. */
  isSwapped: boolean;
}

/** The elements of one head of a row, and the index to which they move. */
interface Block {
  from: number;
  to: number;
  size: number;
}

/**
 * Moves rows within the arrays.
 *
 * @param arrays each has consecutive rows [heads, capacity, headSize]
 * @param rows the rows in their new order; those that are not swapped keep their relative order
 */
export function moveRows(
  arrays: readonly Float32Array[],
  rows: readonly RowPlace[],
  { heads, headSize }: { heads: number; headSize: number },
): void {
  const blocks = (chosen: readonly RowPlace[]): Block[] =>
    chosen.flatMap(({ from, before, to, after, used }) =>
      Array.from({ length: used > 0 ? heads : 0 }, (_, head) => ({
        from: (from * heads + head * before) * headSize,
        to: (to * heads + head * after) * headSize,
        size: used * headSize,
      })),
    );
  const swapped = blocks(rows.filter(({ isSwapped }) => isSwapped));
  const inOrder = blocks(rows.filter(({ isSwapped }) => !isSwapped));
  for (const array of arrays) {
    const aside = swapped.map(({ from, size }) => array.slice(from, from + size));
    moveInOrder(array, inOrder);
    swapped.forEach(({ to }, i) => array.set(aside[i], to));
  }
}

/**
 * Moves blocks to the right from last to first, then blocks to the left from first to last, so that none is overwritten unread.
 */
function moveInOrder(array: Float32Array, blocks: readonly Block[]): void {
  const move = ({ from, to, size }: Block) => array.copyWithin(to, from, from + size);
  for (let i = blocks.length - 1; i >= 0; i--) if (blocks[i].to > blocks[i].from) move(blocks[i]);
  for (const block of blocks) if (block.to < block.from) move(block);
}
