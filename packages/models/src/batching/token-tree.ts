// Merges sequences that begin with the same tokens into a tree (trie), so that each token is computed once. For attention the
// tree is cut into blocks of consecutive queries; each block reads the keys on its path, from the first token of the sequence to
// the block's last token.
import { maximum } from '@bowyer/core';
import { commonPrefix } from './common-prefix.js';

/** Tokens `start` to `end` (exclusive) of a sequence. A sequence that shares one of these tokens shares all of them. */
interface Block {
  sequence: number;
  start: number;
  end: number;
}

/** Blocks whose attention is computed together: all are padded to `width` queries, and their paths to `columns` keys. */
interface BlockGroup {
  blocks: Block[];
  width: number;
  columns: number;
}

/** The tokens of several sequences, in which each common prefix occurs once. */
export interface TokenTree {
  /** [tokens] token ids, depth first. */
  ids: Int32Array;
  /** [tokens] the position of each token in its sequences. */
  positions: Int32Array;
  groups: BlockGroup[];
  /** [sequences][length] the index in `ids` of the token at each position of a sequence. */
  sequences: Int32Array[];
}

/**
 * Bounds of the search for the cheapest division into blocks and groups: the most parts that the longest segment is cut into, the
 * most lengths that separate wide from narrow blocks, and the most path lengths at which a group may end.
 */
const MOST_PARTS = 16;
const MOST_THRESHOLDS = 4;
const MOST_ENDS = 32;

/** The time to copy a key and value into a block's path, in units of one attention score; it worked well in trials. */
const COPY_PRICE = 20;

/**
 * Merges sequences into a tree.
 *
 * @param sequences [sequences][length] ids, sorted by `compareTokens`
 * @param groupCount the number of block groups, a power of 2; the number of the tree's tokens if that is smaller
 */
export function tokenTree(sequences: readonly Int32Array[], groupCount: number): TokenTree {
  const shared = sequences.map((ids, i) => (i === 0 ? 0 : commonPrefix(sequences[i - 1], ids)));
  const paths: Int32Array[] = [];
  const [ids, positions]: number[][] = [[], []];
  sequences.forEach((own, i) => {
    const path = new Int32Array(own.length);
    if (i > 0) path.set(paths[i - 1].subarray(0, shared[i]));
    for (let t = shared[i]; t < own.length; t++) {
      path[t] = ids.push(own[t]) - 1;
      positions.push(t);
    }
    paths.push(path);
  });
  const segments = sequences.flatMap(({ length }, i) => segmentsOf(i, length, shared));
  return {
    ids: Int32Array.from(ids),
    positions: Int32Array.from(positions),
    groups: cheapestGroups(segments, Math.min(groupCount, ids.length)),
    sequences: paths,
  };
}

/** Cuts the tokens that a sequence adds to the tree at the points where later sequences branch off. */
function segmentsOf(sequence: number, length: number, shared: readonly number[]): Block[] {
  const cuts: number[] = [];
  let [end, leaves] = [length, length];
  for (let later = sequence + 1; later < shared.length && leaves > shared[sequence]; later++) {
    leaves = Math.min(leaves, shared[later]);
    if (leaves < end && leaves > shared[sequence]) cuts.push((end = leaves));
  }
  const bounds = [shared[sequence], ...cuts.reverse(), length];
  return bounds.slice(1).flatMap((to, i) => (to > bounds[i] ? [{ sequence, start: bounds[i], end: to }] : []));
}

/** A division of segments into blocks of one width: `columns` has the longest path of each group of blocks. */
interface Division {
  segments: readonly Block[];
  width: number;
  columns: number[];
  /** The estimated time of attention: the number of scores, padding included, plus the price of copying keys into the paths. */
  cost: number;
}

/** Finds the cheapest groups with either one block width, or one for longer and one for shorter segments. */
function cheapestGroups(segments: readonly Block[], groupCount: number): BlockGroup[] {
  const costOf = (divisions: readonly (Division | undefined)[]) =>
    divisions.reduce((sum, division) => sum + (division?.cost ?? Infinity), 0);
  let best = [cheapestWidth(segments, groupCount)];
  const lengths = groupCount === 1 ? [] : [...new Set(segments.map(lengthOf))].sort((a, b) => a - b);
  const step = Math.max(1, Math.ceil(lengths.length / MOST_THRESHOLDS));
  for (let i = 0; i < lengths.length - 1; i += step) {
    const parts = [
      segments.filter((own) => lengthOf(own) > lengths[i]),
      segments.filter((own) => lengthOf(own) <= lengths[i]),
    ].map((own) => cheapestWidth(own, groupCount / 2));
    if (costOf(parts) < costOf(best)) best = parts;
  }
  return best.flatMap((division) => groupsOf(division!));
}

const lengthOf = ({ start, end }: Block): number => end - start;

/** Chooses the block width of the least cost; returns undefined if the segments have too few tokens for the number of groups. */
function cheapestWidth(segments: readonly Block[], groupCount: number): Division | undefined {
  const longest = maximum(segments.map(lengthOf));
  let best: Division | undefined;
  for (let parts = 1; parts <= MOST_PARTS || (best === undefined && parts <= longest); parts *= 2) {
    const width = Math.ceil(longest / parts);
    const found = cheapestColumns(blockEnds(segments, width), groupCount);
    const cost = found && found.keys * (width + COPY_PRICE);
    if (found && cost! < (best?.cost ?? Infinity)) best = { segments, width, columns: found.columns, cost: cost! };
  }
  return best;
}

/** Lists the ends of all blocks, each as a position in its sequence, in ascending order. */
function blockEnds(segments: readonly Block[], width: number): Int32Array {
  const ends: number[] = [];
  for (const { start, end } of segments)
    for (let at = start; at < end; at += width) ends.push(Math.min(at + width, end));
  return Int32Array.from(ends).sort();
}

/** Groups blocks, given by ascending ends, with the fewest keys, padding included; undefined if there are too few ends. */
function cheapestColumns(ends: Int32Array, groupCount: number): { columns: number[]; keys: number } | undefined {
  const step = Math.max(1, Math.ceil(ends.at(-1)! / MOST_ENDS));
  // A group may end only at one of these bounds, each a number of blocks, so that few divisions are compared.
  const bounds = [0];
  ends.forEach((end, i) => {
    const next = i + 1 < ends.length ? ends[i + 1] : Infinity;
    if (Math.ceil(next / step) > Math.ceil(end / step)) bounds.push(i + 1);
  });
  // Dynamic programming over groups: after `count` groups, `keys[i]` is the least number of keys if the last group ends at
  // `bounds[i]`, and `begins` has the bound at which that group begins.
  let keys = bounds.map((_, i) => (i === 0 ? 0 : Infinity));
  const begins: number[][] = [];
  for (let count = 1; count <= groupCount; count++) {
    const found = bounds.map(() => ({ keys: Infinity, begin: 0 }));
    for (let to = 1; to < bounds.length; to++)
      for (let from = 0; from < to; from++) {
        const sum = keys[from] + (bounds[to] - bounds[from]) * ends[bounds[to] - 1];
        if (sum < found[to].keys) found[to] = { keys: sum, begin: from };
      }
    keys = found.map((own) => own.keys);
    begins.push(found.map(({ begin }) => begin));
  }
  const least = keys.at(-1)!;
  if (least === Infinity) return undefined;
  const columns: number[] = [];
  let to = bounds.length - 1;
  for (const begin of begins.reverse()) {
    columns.unshift(ends[bounds[to] - 1]);
    to = begin[to];
  }
  return { columns, keys: least };
}

function groupsOf({ segments, width, columns }: Division): BlockGroup[] {
  const blocks = segments
    .flatMap((segment) => cutInto(segment, width))
    .sort((a, b) => a.end - b.end || a.sequence - b.sequence);
  return columns.map((end, i) => ({
    blocks: blocks.filter((block) => block.end <= end && (i === 0 || block.end > columns[i - 1])),
    width,
    columns: end,
  }));
}

const cutInto = ({ sequence, start, end }: Block, width: number): Block[] =>
  Array.from({ length: Math.ceil((end - start) / width) }, (_, i) => ({
    sequence,
    start: start + i * width,
    end: Math.min(start + (i + 1) * width, end),
  }));

/** Says where each token's query is among the padded blocks of all groups; all arrays are [tokens]. */
interface QueryPlaces {
  /** The index of the block that has the token as a query, in the order of all groups' blocks. */
  block: Int32Array;
  /** The number of queries in the blocks before the token's block, padding included. */
  before: Int32Array;
  width: Int32Array;
  /** The index of the token in its block. */
  offset: Int32Array;
}

export function queryPlaces({ ids, groups, sequences }: TokenTree): QueryPlaces {
  const [block, before, widths, offset] = Array.from({ length: 4 }, () => new Int32Array(ids.length));
  let [index, queries] = [0, 0];
  for (const { blocks, width } of groups)
    for (const { sequence, start, end } of blocks) {
      for (let t = start; t < end; t++) {
        const token = sequences[sequence][t];
        [block[token], before[token], widths[token], offset[token]] = [index, queries, width, t - start];
      }
      index++;
      queries += width;
    }
  return { block, before, width: widths, offset };
}

/** Lists the tokens of a group's blocks, [blocks, width], as indices into `ids`; padding is the number of the tree's tokens. */
export function blockTokens({ ids, sequences }: TokenTree, { blocks, width }: BlockGroup): Int32Array {
  const tokens = new Int32Array(blocks.length * width).fill(ids.length);
  blocks.forEach(({ sequence, start, end }, b) => tokens.set(sequences[sequence].subarray(start, end), b * width));
  return tokens;
}

/** Lists the tokens on each block's path, [blocks, columns], as indices into `ids`; 0 beyond the path's end. */
export function blockPaths({ sequences }: TokenTree, { blocks, columns }: BlockGroup): Int32Array {
  const paths = new Int32Array(blocks.length * columns);
  blocks.forEach(({ sequence, end }, b) => paths.set(sequences[sequence].subarray(0, end), b * columns));
  return paths;
}

/**
 * Returns a 0/1 matrix [all blocks + 1, blocks of the group] that is 1 where the path of a block of the group contains a block of
 * the tree; the last row is 0. A path contains a block if it contains the block's last token.
 */
export function pathsWithBlocks({ groups, sequences }: TokenTree, { blocks: own }: BlockGroup): Float32Array {
  const all = groups.flatMap(({ blocks }) => blocks);
  const contains = new Float32Array((all.length + 1) * own.length);
  all.forEach((block, a) => {
    const last = block.end - 1;
    const token = sequences[block.sequence][last];
    own.forEach(({ sequence, end }, b) => {
      if (last < end && sequences[sequence][last] === token) contains[a * own.length + b] = 1;
    });
  });
  return contains;
}

/**
 * Lists the last `reach` tokens of the path to each token, itself included, [tokens, reach], as indices into `ids`; entries
 * before the first token of the sequence are the number of the tree's tokens.
 */
export function pathEnds({ ids, sequences }: TokenTree, reach: number): Int32Array {
  const ends = new Int32Array(ids.length * reach).fill(ids.length);
  for (const path of sequences)
    path.forEach((token, t) => {
      const first = Math.max(0, t + 1 - reach);
      ends.set(path.subarray(first, t + 1), (token + 1) * reach - (t + 1 - first));
    });
  return ends;
}
