// New tokens of several rows at once: which of them go through the model in which run, so that rows with few do not wait as padding
// for those with many.

/** The tokens of the first `rows` rows that are from `from` to `to` (excluded) tokens before the end. */
interface PromptRun {
  rows: number;
  from: number;
  to: number;
}

/** So much padding costs less than a further run of the graph. */
const FREE_PADDING = 64;

/** More is accepted up to this share of what a run computes. */
const PADDING_SHARE = 1 / 8;

/** Rows change places only for so many tokens: their keys and values move with them. */
const WORTH_A_SWAP = 64;

/**
 * Cuts new tokens into runs. The last run contains the last token of every row that has one; a run has at most `chunk` tokens a row.
 *
 * @param lengths [rows] new tokens; ordered as by `longestFirst` there is little padding
 * @returns in the order in which they must be run
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
 * Finds exchanges of rows after which those with many new tokens come first.
 *
 * @returns pairs of rows to exchange, one pair after the other
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
