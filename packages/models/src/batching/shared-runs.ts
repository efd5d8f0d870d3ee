// Groups examples that begin with the same tokens into batches in which the common tokens are computed once (token-tree.ts). Such
// examples are the answers to one prompt, or the branches of an agent's rollout.
import { commonPrefix, compareTokens } from './common-prefix.js';
import { BATCH_PRICE } from './length-batches.js';

/**
 * A run (consecutive examples in sorted order with a common prefix) is batched as a tree if this saves at least `LEAST_SAVED`
 * tokens and at least the share `LEAST_SHARE` of the run's tokens; otherwise a padded rectangle is faster.
 */
const LEAST_SAVED = 128;
const LEAST_SHARE = 0.1;

/**
 * The most tokens of a batch from one run, unless its longest example exceeds half of that, and of a batch from several runs;
 * larger batches are slower.
 */
const MOST_TOKENS = 2048;
const MOST_OF_RUNS = 512;

/** The number of keys at which attention costs as much as a token's other computations, estimated for small models. */
const PRICED_KEYS = 1024;

/**
 * Makes batches of the examples that share enough tokens with others; the rest are in none. Sorted examples form a run until two
 * neighbours share less than a tenth of the shorter one's tokens; a run that saves enough is cut into batches of the least total
 * cost, n · (1 + m / 1024) + 64 for n different tokens and a longest example of m tokens.
 *
 * @param rows for each example the ids that the model reads
 * @param maxTokens the most tokens of a batch; a longer example gets a batch of its own
 * @returns [batches] lists of indices into `rows`, in the order of `compareTokens`
 */
export function sharedRuns(rows: readonly Int32Array[], maxTokens: number): number[][] {
  const order = rows.map((_, i) => i).sort((a, b) => compareTokens(rows[a], rows[b]) || a - b);
  const shared = order.map((row, i) => (i === 0 ? 0 : commonPrefix(rows[order[i - 1]], rows[row])));
  const lengths = order.map((row) => rows[row].length);
  const kept: number[] = [];
  for (let start = 0, end = 1; start < order.length; start = end++) {
    while (end < order.length && isNear(shared[end], lengths[end - 1], lengths[end])) end++;
    const [saved, total] = [sum(shared.slice(start + 1, end)), sum(lengths.slice(start, end))];
    if (saved >= LEAST_SAVED && saved >= LEAST_SHARE * total) for (let i = start; i < end; i++) kept.push(i);
  }
  const ofKept = (i: number) => (i > 0 && kept[i - 1] === kept[i] - 1 ? shared[kept[i]] : 0);
  const cuts = cheapestCuts(
    kept.map((i) => lengths[i]),
    kept.map((_, i) => ofKept(i)),
    maxTokens,
  );
  return cuts.map(([begin, end]) => kept.slice(begin, end).map((i) => order[i]));
}

/** Cuts sorted examples into consecutive batches of the least total cost. @returns the begin and end (exclusive) of each batch */
function cheapestCuts(lengths: readonly number[], shared: readonly number[], maxTokens: number): [number, number][] {
  const cost = [0];
  const begins = [0];
  for (let end = 1; end <= lengths.length; end++) {
    cost[end] = Infinity;
    let [tokens, longest] = [0, 0];
    let joinsRuns = false;
    for (let begin = end - 1; begin >= 0; begin--) {
      longest = Math.max(longest, lengths[begin]);
      const all = tokens + lengths[begin];
      const most = joinsRuns
        ? Math.min(MOST_OF_RUNS, maxTokens)
        : Math.min(Math.max(MOST_TOKENS, 2 * longest), maxTokens);
      if (all > most && begin < end - 1) break;
      const whole = cost[begin] + all * (1 + longest / PRICED_KEYS) + BATCH_PRICE;
      if (whole < cost[end]) [cost[end], begins[end]] = [whole, begin];
      tokens += lengths[begin] - shared[begin];
      joinsRuns ||= begin > 0 && !isNear(shared[begin], lengths[begin - 1], lengths[begin]);
    }
  }
  const cuts: [number, number][] = [];
  for (let end = lengths.length; end > 0; end = begins[end]) cuts.push([begins[end], end]);
  return cuts.reverse();
}

const isNear = (shared: number, length: number, other: number): boolean =>
  shared >= LEAST_SHARE * Math.min(length, other);

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
