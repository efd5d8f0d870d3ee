// Divides the batches of a call among the ranks of a distributed run: each rank gets consecutive rows with about equally many
// tokens, padding included.
import type { Ranks } from '@bowyer/core';
import type { TokenBatch } from './token-batches.js';

/** One rank's part of a batch. */
export interface OwnRows {
  /** This rank's rows of a batch; without rows if the whole batch belongs to other ranks. */
  batch: TokenBatch;
  /** The index of this part's first row in the whole batch. The columns are those of the whole batch. */
  firstRow: number;
}

/** Yields this rank's rows of every batch of a call. */
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
    // A row belongs to the rank in whose share of all tokens its middle lies. Rows of a tree count as equally long.
    const rowAt = (part: number) => {
      const row = Math.round((((total * part) / size - before) * rows) / ids.length);
      return Math.min(Math.max(row, 0), rows);
    };
    const [begin, end] = [rowAt(rank), rank === size - 1 ? rows : rowAt(rank + 1)];
    before += ids.length;
    return { batch: begin === 0 && end === rows ? batch : batch.part(begin, end), firstRow: begin };
  });
}
