// Rows of cache arrays that move to other places in them, without second arrays.

/** Where a row is, where it goes, and how much of it is moved; all in positions. */
export interface RowPlace {
  from: number;
  /** The capacity at the old place. */
  before: number;
  to: number;
  /** The capacity at the new place. */
  after: number;
  used: number;
  /** Whether the row leaves its place in the order of rows. */
  isSwapped: boolean;
}

/** One head's run of elements. */
interface Block {
  from: number;
  to: number;
  size: number;
}

/**
 * Moves rows within the arrays.
 *
 * @param arrays rows [heads, capacity, headSize] one after the other
 * @param rows in their new order; those that are not swapped are in the same order before and afterwards
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

/** Moves to the right begin at the end, and moves to the left at the beginning: nothing is overwritten unread. */
function moveInOrder(array: Float32Array, blocks: readonly Block[]): void {
  const move = ({ from, to, size }: Block) => array.copyWithin(to, from, from + size);
  for (let i = blocks.length - 1; i >= 0; i--) if (blocks[i].to > blocks[i].from) move(blocks[i]);
  for (const block of blocks) if (block.to < block.from) move(block);
}
