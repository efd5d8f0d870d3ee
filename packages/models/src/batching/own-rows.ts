// The part of a call's batches that this rank computes: a run of rows as long as any other rank's, in tokens with padding.
import type { Ranks } from '@bowyer/core';
import type { TokenBatch } from './token-batches.js';

export interface OwnRows {
  /** The batch, which has no rows if it is that of other ranks. */
  batch: TokenBatch;
  /** Row of the whole batch that is the first one here. Columns are those of the whole batch. */
  firstRow: number;
}

/** Yields this rank's rows of every batch of the call. Batches are cut at no more places than there are ranks. */
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
    // A row is of the rank in whose part of all tokens its middle is.
    const rowAt = (part: number) => {
      const row = Math.round(((total * part) / size - before) / columns);
      return Math.min(Math.max(row, 0), rows);
    };
    const [begin, end] = [rowAt(rank), rank === size - 1 ? rows : rowAt(rank + 1)];
    before += rows * columns;
    return { batch: rowsOf(batch, begin, end), firstRow: begin };
  });
}

/** Returns rows `begin` to `end` of a batch, the latter excluded. */
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

/** Finds the range of the positions from `from` up to `to` in a list of ascending ones. */
function rangeOf(positions: Int32Array, from: number, to: number): [number, number] {
  const begin = positions.findIndex((position) => position >= from);
  if (begin < 0) return [positions.length, positions.length];
  const end = positions.findIndex((position) => position >= to);
  return [begin, end < 0 ? positions.length : end];
}
