// Divides the batches of one call (e.g. of a gradient) among the ranks of a distributed run: each rank computes consecutive rows
// with about equally many tokens, padding included.
import type { Ranks } from '@bowyer/core';
import type { TokenBatch } from './token-batches.js';

export interface OwnRows {
  /** A batch of this rank's rows; it has no rows if other ranks compute the whole batch. */
  batch: TokenBatch;
  /** The index in the whole batch of this rank's first row. The columns are those of the whole batch. */
  firstRow: number;
}

export function* ownRows(
  given: Iterable<TokenBatch>,
  { rank, size }: Pick<Ranks, 'rank' | 'size'>,
): Generator<OwnRows> {
  if (size > 1) return yield* partOf([...given], rank, size);
  for (const batch of given) yield { batch, firstRow: 0 };
}

function partOf(batches: readonly TokenBatch[], rank: number, size: number): OwnRows[] {
  const total = batches.reduce((sum, { ids }) => sum + ids.length, 0);
  let before = 0;
  return batches.map((batch) => {
    const { rows, ids } = batch;
    // The tokens of all batches are divided equally among the ranks, and a row belongs to the rank in whose share its middle
    // token lies. In a batch whose sequences share prefixes (token-tree.ts), all rows count as equally long.
    const rowAt = (part: number) => {
      const row = Math.round((((total * part) / size - before) * rows) / ids.length);
      return Math.min(Math.max(row, 0), rows);
    };
    const [begin, end] = [rowAt(rank), rank === size - 1 ? rows : rowAt(rank + 1)];
    before += ids.length;
    return { batch: begin === 0 && end === rows ? batch : batch.part(begin, end), firstRow: begin };
  });
}
