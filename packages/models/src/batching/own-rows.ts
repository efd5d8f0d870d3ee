// Divides the batches of a call among the ranks of a distributed run: each rank gets consecutive rows with about equally many
// tokens, padding included.
import type { Ranks } from '@bowyer/core';
import type { TokenBatch } from './token-batches.js';

export interface OwnRows {
  /** This rank's rows of a batch; without rows if the whole batch belongs to other ranks. */
  batch: TokenBatch;
  /** The index of this part's first row in the whole batch. The columns are those of the whole batch. */
  firstRow: number;
}

/** Yields this rank's rows of every batch of the call. */
export function* ownRows(
  given: Iterable<TokenBatch>,
  { rank, size }: Pick<Ranks, 'rank' | 'size'>,
): Generator<OwnRows> {
  if (size > 1) return yield* partOf([...given], rank, size);
  for (const batch of given) yield { batch, firstRow: 0 };
}

function partOf(batches: readonly TokenBatch[], rank: number, size: number): OwnRows[] {
  const total = batches.reduce((sum, { rows, columns }) => sum + rows * columns, 0);
  let before = 0;
  return batches.map((batch) => {
    const { rows, columns } = batch;
    // A row belongs to the rank whose share of all tokens contains the row's middle.
    const rowAt = (part: number) => {
      const row = Math.round(((total * part) / size - before) / columns);
      return Math.min(Math.max(row, 0), rows);
    };
    const [begin, end] = [rowAt(rank), rank === size - 1 ? rows : rowAt(rank + 1)];
    before += rows * columns;
    return { batch: rowsOf(batch, begin, end), firstRow: begin };
  });
}

/** Returns rows `begin` to `end` (exclusive) of a batch. */
function rowsOf(batch: TokenBatch, begin: number, end: number): TokenBatch {
  const { rows, columns, examples, ids, targets, weights, entropyWeights, scoredPositions, valuePositions } = batch;
  if (begin === 0 && end === rows) return batch;
  const [from, to] = [begin * columns, end * columns];
  const scored = rangeOf(scoredPositions, from, to);
  const valued = rangeOf(valuePositions, from, to);
  return {
    examples: examples.slice(begin, end),
    rows: end - begin,
    columns,
    prefix: batch.prefix,
    ids: ids.slice(from, to),
    scoredPositions: scoredPositions.slice(...scored).map((position) => position - from),
    targets: targets.slice(...scored),
    weights: weights.slice(...scored),
    entropyWeights: entropyWeights.slice(...scored),
    ...(batch.tokenMasks && { tokenMasks: batch.tokenMasks.slice(...scored) }),
    valuePositions: valuePositions.slice(...valued).map((position) => position - from),
    valueWeights: batch.valueWeights.slice(...valued),
  };
}

/** Finds the indices of the positions in `from` … `to` (exclusive) in an ascending list. */
function rangeOf(positions: Int32Array, from: number, to: number): [number, number] {
  const begin = positions.findIndex((position) => position >= from);
  if (begin < 0) return [positions.length, positions.length];
  const end = positions.findIndex((position) => position >= to);
  return [begin, end < 0 ? positions.length : end];
}
