// Tests the division of rows (token sequences) into batches by length: against every possible division, and with a limit on a
// batch's tokens.
import { Rng } from '@bowyer/core';
import { lengthBatches } from './length-batches.js';

/** Computes the cost of batches that `lengthBatches` minimises: Σ rows · longest row, plus 64 for each batch. */
const costOf = (lengths: number[][], batches: readonly number[][]) =>
  batches.reduce((sum, batch) => {
    const longest = lengths[0].map((_, column) => Math.max(...batch.map((row) => lengths[row][column])));
    return sum + batch.length * longest.reduce((a, b) => a + b, 0) + 64;
  }, 0);

/** Lists every way to cut a list into consecutive sections. */
function cuts(rows: number[]): number[][][] {
  if (rows.length === 0) return [[]];
  return rows.flatMap((_, i) => cuts(rows.slice(i + 1)).map((rest) => [rows.slice(0, i + 1), ...rest]));
}

test.each([1, 2])('no other cut of the sorted rows is cheaper; %s columns', (columns) => {
  const rng = new Rng(columns);
  const lengths = Array.from({ length: 11 }, () => Array.from({ length: columns }, () => rng.integer(1, 60)));
  const batches = lengthBatches(lengths, Infinity);
  const sorted = batches.toReversed().flat();
  const least = Math.min(...cuts(sorted).map((ways) => costOf(lengths, ways)));
  expect(costOf(lengths, batches)).toBe(least);
  expect(batches.length).toBeGreaterThan(1);
  expect(sorted.toSorted((a, b) => a - b)).toEqual(lengths.map((_, row) => row));
  expect(sorted.map((row) => lengths[row][0])).toEqual(lengths.map(([first]) => first).sort((a, b) => a - b));
});

test('few rows of similar length share a batch, rows of very different length do not', () => {
  expect(lengthBatches([[10], [12], [11]], Infinity)).toEqual([[0, 2, 1]]); // 3 tokens of padding; another batch would cost 64
  expect(lengthBatches([[10], [100], [11]], Infinity)).toEqual([[1], [0, 2]]); // one batch would have 89 + 90 tokens of padding
});

test('a batch contains no more than the budget, all columns and padding counted; a longer row stands alone', () => {
  expect(
    lengthBatches(
      [
        [4, 1],
        [4, 3],
        [4, 2],
        [20, 1],
      ],
      14,
    ),
  ).toEqual([[3], [2, 1], [0]]); // 2 · (4 + 3) = 14
  expect(lengthBatches([], 14)).toEqual([]);
});
