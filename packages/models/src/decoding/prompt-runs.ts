// Divides the new tokens of several rows into runs of the graph, so that rows with few new tokens are not padded to those with many.

/** A run of the graph on the first `rows` rows: of each row the tokens that are at least `from` and less than `to` tokens before its end. */
interface PromptRun {
  rows: number;
  from: number;
  to: number;
}

/** The number of padding tokens that cost less than a further run of the graph. */
const FREE_PADDING = 64;

/** The share of a run's tokens up to which more padding than that is accepted. */
const PADDING_SHARE = 1 / 8;

/** The least difference in new tokens for which rows are swapped, since their keys and values must move. */
const WORTH_A_SWAP = 64;

/**
 * Cuts new tokens into runs of at most `chunk` tokens per row. The last run contains the last token of every row that has new
 * tokens.
 *
 * @param lengths [rows] the number of new tokens; there is little padding if they are ordered by `longestFirst`
 * @returns the runs, in the order in which they must be executed
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

/**
 * Finds swaps of rows after which rows with many new tokens come first.
 *
 * @returns pairs of rows to swap, in this order
 */
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
