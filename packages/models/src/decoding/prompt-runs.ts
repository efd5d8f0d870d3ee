// Divides cache rows' new tokens into executions (runs) of the decoding graph with little padding.

/** A run reads, in each of the first `rows` rows, the tokens at least `from` and less than `to` tokens before the row's end. */
interface PromptRun {
  rows: number;
  from: number;
  to: number;
}

/** The number of padding tokens that take less time than a further run of the graph. */
const FREE_PADDING = 64;

/** More padding than `FREE_PADDING` is accepted up to this share of a run's tokens. */
const PADDING_SHARE = 1 / 8;

/** The least difference in the number of new tokens for which two rows are swapped, since a swap moves their keys and values. */
const WORTH_A_SWAP = 64;

/**
 * Divides new tokens into runs, in order, of at most `chunk` tokens per row. The last run has the last token of every row with
 * new tokens, so that it can sample after all of them.
 *
 * @param lengths [rows] the number of new tokens; there is little padding if they are ordered by `longestFirst`
 */
export function promptRuns(lengths: readonly number[], chunk: number): PromptRun[] {
  const runs: PromptRun[] = [];
  const ends = [...new Set(lengths)].filter((length) => length > 0).sort((a, b) => a - b);
  const rowsBeyond = (end: number) => lengths.findLastIndex((length) => length > end) + 1;
  for (let from = 0; from < (ends.at(-1) ?? 0);) {
    const rows = rowsBeyond(from);
    const [first, ...further] = ends.filter((end) => end > from);
    let to = first;
    let padding = 0;
    for (const next of further) {
      padding += (rows - rowsBeyond(to)) * (next - to);
      if (padding > Math.max(FREE_PADDING, PADDING_SHARE * rows * (next - from))) break;
      to = next;
    }
    to = Math.min(to, from + chunk);
    runs.push({ rows, from, to });
    from = to;
  }
  return runs.reverse();
}

/** Finds swaps of rows, in order, after which rows with many new tokens come first. */
export function longestFirst(lengths: readonly number[]): [number, number][] {
  const now = [...lengths];
  const swaps: [number, number][] = [];
  for (let row = 0; row < now.length; row++) {
    let longest = row;
    for (let other = row + 1; other < now.length; other++) if (now[other] > now[longest]) longest = other;
    if (now[longest] - now[row] < WORTH_A_SWAP) continue;
    swaps.push([row, longest]);
    [now[row], now[longest]] = [now[longest], now[row]];
  }
  return swaps;
}
