// Builds causal self-attention: over whole sequences, or after earlier keys and values. See cached-attention.ts for decoding.
//
//     attention(Q, K, V) = softmax(Q Kᵀ / √headSize + mask) V        (Vaswani et al. 2017, arXiv:1706.03762, eq. 1)
//
// With fewer key-value heads than query heads (grouped-query attention: Ainslie et al. 2023, arXiv:2305.13245) the queries that share
// a key-value head are stacked as more rows of one product, so that keys and values are never copied.
import {
  addDims,
  multiplyDims,
  notBefore,
  PartsInTurn,
  subtractDims,
  withGradient,
  type Dim,
  type GraphBuilder,
  type OperatorMethods,
  type Shape,
  type Value,
} from '@bowyer/graph';
import { weightedValues } from './weighted-values.js';

/** The sizes by which queries [batch · tokens, heads · headSize], and keys and values, are split into heads. */
export interface HeadLayout {
  batch: Dim;
  tokens: Dim;
  heads: number;
  /** A divisor of `heads`; query head h uses key-value head ⌊h / (heads / keyValueHeads)⌋. */
  keyValueHeads: number;
  headSize: number;
}

/** The settings in which one layer's attention differs from softmax(Q Kᵀ / √headSize + mask) V. */
export interface AttentionForm {
  /** Dropout probability of the attention weights. */
  dropout?: number;
  /** Factor of Q Kᵀ; 1 / √headSize if undefined. */
  scale?: number;
  /** The width of the sliding window: the number of tokens that a token attends to, itself included; unlimited if undefined. */
  window?: number;
  /** The bound c of the scores in c · tanh(scores / c) (Gemma 2: arXiv:2408.00118, section 2). */
  softcap?: number;
  /** [heads, positions] numbers that are added to the scores of the key at each position (ALiBi: Press et al. 2021, arXiv:2108.12409). */
  positionBiases?: Value;
  /** [heads] scores of one more position without a value, which every query attends to, so that the other weights sum to less than 1. */
  sinks?: Value;
}

/** The score of a masked key: finite, but so low that it becomes exactly 0 after the softmax. */
export const MASKED = -1e9;

/** The most query tokens of a chunk. */
const CHUNK = 1024;

/** From this number of chunks on, the backward pass computes scores again, so that memory is linear in the sequence's length. */
const RECOMPUTED_FROM = 8;

/**
 * Chooses the number of chunks into which the queries of a sequence are cut, a power of two, so that few graphs are compiled. Two
 * chunks avoid half of the masked scores, four chunks three quarters; for short sequences a single product is as fast, and each
 * chunk makes compiling longer. Long sequences have chunks of at most 1024 tokens, since the scores of a chunk are [queries,
 * keys] for each head.
 */
export const chunksOf = (tokens: number): number => {
  if (tokens < 1024) return tokens >= 192 ? 2 : 1;
  return Math.max(4, 2 ** Math.ceil(Math.log2(tokens / CHUNK)));
};

interface OrderedAttention {
  form: AttentionForm;
  dropout: (probabilities: Value) => Value;
  /** The number of chunks into which queries are cut; each chunk is multiplied only by the keys that it can see. */
  chunks: number;
}

/** Computes attention from every token of a batch row to itself and to the row's earlier tokens. */
export function causalAttention(
  g: GraphBuilder,
  [query, key, value]: readonly [Value, Value, Value],
  layout: HeadLayout,
  how: OrderedAttention,
): Value {
  const [k, v] = [key, value].map((x) => splitHeads(g, x, layout));
  return attendInOrder(g, [query, k, v], layout, how);
}

/**
 * The indices for attention over a tree of tokens, whose common prefixes are computed once (see token-tree.ts). The tree is
 * divided into blocks of queries, and the blocks into groups, which are padded to the same sizes. An index without another tensor
 * is that of a row of the queries, [tokens · heads, headSize], or of the keys and values, [tokens · keyValueHeads, headSize].
 */
export interface TreeBlocks {
  groups: {
    places: Places;
    /** [blocks, keyValueHeads, columns] the rows of the keys on the path from the first token to each block's last one. */
    paths: Value;
    /** The operands by which the gradients of keys and values are summed over all paths that contain a token. */
    sums?: {
      /** [all blocks + 1, blocks] float32: 1 where a block of the tree is on the path of a block of the group; last row 0. */
      contains: Value;
      /** [tokens, keyValueHeads] the index of each token in the sums, flattened from [all blocks + 1, keyValueHeads, columns]. */
      inPaths: Value;
    };
  }[];
  /** The rows of the queries of all groups, each from [blocks, heads, width]; padding has the row of zeros after all tokens. */
  padded: Value;
  /** The same as `padded`, but padding has the last row instead of the row of zeros, which exists for gradients only. */
  inside: Value;
  /** [tokens, heads] the index in `padded` of each token's queries. */
  inBlocks: Value;
}

/** Computes attention from every token of a tree to itself and to those before it on its path; inputs have a row per token. */
export function treeAttention(
  g: GraphBuilder,
  [query, key, value]: readonly [Value, Value, Value],
  sizes: Omit<HeadLayout, 'batch' | 'tokens'>,
  { groups, padded, inside, inBlocks }: TreeBlocks,
  how: Omit<OrderedAttention, 'chunks'>,
): Value {
  const { heads, keyValueHeads, headSize } = sizes;
  const ofHeads = (rules: OperatorMethods, x: Value, places: Value, shape: Shape) =>
    rules.reshape(rules.gather(rules.reshape(x, [-1, headSize]), places, 0), shape);
  const blocks = withGradient(g, ofHeads(g, query, inside, [inside.dim(0), headSize]), query, (rules, dy) =>
    ofHeads(rules, dy, inBlocks, query.shape),
  );
  const layouts = groups.map(({ places, paths }) => ({
    ...sizes,
    batch: paths.dim(0),
    tokens: places.queries.dim(1),
  }));
  const parts = g.split(
    blocks,
    0,
    layouts.map(({ batch, tokens }) => multiplyDims(multiplyDims(batch, heads), tokens)),
  );
  const { sinks } = how.form;
  const shared = [key, value, ...(sinks ? [sinks] : [])];
  const inTurn = groups.length >= RECOMPUTED_FROM ? new PartsInTurn(g, shared) : undefined;
  const mixed = groups.map(({ places, paths, sums }, i) => {
    const { batch, tokens } = layouts[i];
    const q = g.reshape(parts[i], [batch, keyValueHeads, multiplyDims(queriesPerKey(sizes), tokens), headSize]);
    const attend = (queries: Value) => {
      const [k, v] = [key, value].map((x) =>
        withGradient(g, ofHeads(g, x, paths, [...paths.shape, headSize]), x, (rules, dy) => {
          // All tokens of a block are on the same paths, so one matrix product sums the gradients over the paths for each block.
          const summed = rules.matMul(sums!.contains, rules.reshape(dy, [batch, -1]));
          return ofHeads(rules, summed, sums!.inPaths, x.shape);
        }),
      );
      return attendAt(g, [q, k, v], { ...places, queries }, layouts[i], how);
    };
    // `notBefore` makes the masks' positions wait for the queries, as in `attendInOrder`.
    const attended = inTurn ? inTurn.part(q, () => attend(notBefore(g, [q], places.queries))) : attend(places.queries);
    return g.reshape(attended, parts[i].shape);
  });
  const all = g.concat(mixed, 0);
  return withGradient(g, ofHeads(g, all, inBlocks, query.shape), all, (rules, dy) =>
    ofHeads(rules, rules.pad(dy, 0, 0, 1), padded, all.shape),
  );
}

/** The positions of queries and keys in their sequence, counted from 0, int64. */
export interface Places {
  /** [tokens], or [batch, tokens] if the queries of batch rows begin at different positions */
  queries: Value;
  /** [columns], where a column is one key */
  keys: Value;
}

/** Returns consecutive positions, from 0 on. @param before the number of earlier tokens, which have keys but no queries */
export function inOrder(g: GraphBuilder, tokens: Dim, before: Dim = 0): Places {
  const keys = g.range(addDims(before, tokens));
  return { queries: before === 0 ? keys : g.slice(keys, 0, before), keys };
}

/**
 * Computes attention in chunks of queries, each with only the keys that some query of the chunk can see.
 *
 * @param query [batch · tokens, heads · headSize]
 * @param k, v [batch, keyValueHeads, tokens, headSize]
 * @returns [batch · tokens, heads · headSize]
 */
function attendInOrder(
  g: GraphBuilder,
  [query, k, v]: readonly [Value, Value, Value],
  layout: HeadLayout,
  how: OrderedAttention,
): Value {
  const { batch, tokens } = layout;
  if (how.chunks === 1) {
    const heads = [splitQueries(g, query, layout), k, v] as const;
    return mergeHeads(g, attendAt(g, heads, inOrder(g, tokens), layout, how), layout);
  }
  const chunks = chunksInOrder(g, tokens, how.chunks, how.form);
  const rows = g.reshape(query, [batch, tokens, query.dim(1)]);
  const parts = g.split(
    rows,
    1,
    chunks.map(({ queries }) => queries.dim(0)),
  );
  const { sinks } = how.form;
  const inTurn = how.chunks >= RECOMPUTED_FROM ? new PartsInTurn(g, [k, v, ...(sinks ? [sinks] : [])]) : undefined;
  const mixed = parts.map((part, i) => {
    const chunk = { ...layout, tokens: part.dim(1) };
    const { oldest, end, ...places } = chunks[i];
    const q = splitQueries(g, g.reshape(part, [multiplyDims(batch, chunk.tokens), query.dim(1)]), chunk);
    const attend = (queries: Value) => {
      const seen = [k, v].map((x) => g.slice(x, 2, oldest, end));
      return attendAt(g, [q, seen[0], seen[1]], { ...places, queries }, chunk, how);
    };
    // Masks depend on positions alone, so they would be computed once for all layers and kept in memory. `notBefore` makes the
    // positions wait for the queries.
    const attended = inTurn ? inTurn.part(q, () => attend(notBefore(g, [q], places.queries))) : attend(places.queries);
    return g.reshape(mergeHeads(g, attended, chunk), part.shape);
  });
  return g.reshape(g.concat(mixed, 1), query.shape);
}

/** The positions of a chunk of queries and of the keys that it can see, which are those from `oldest` to `end` (exclusive). */
interface Chunk extends Places {
  oldest: Dim;
  end: Dim;
}

function chunksInOrder(g: GraphBuilder, tokens: Dim, count: number, { window }: AttentionForm): Chunk[] {
  const places = g.range(tokens);
  const total = g.dimScalar(tokens);
  const bound = (i: number) => g.div(g.mul(total, i), count);
  let left = tokens;
  return Array.from({ length: count }, (_, i) => {
    const [start, next] = [bound(i), bound(i + 1)];
    const queries = g.rangeBetween(start, next, i === count - 1 ? left : undefined);
    left = subtractDims(left, queries.dim(0));
    const unseen = window === undefined ? 0 : g.max(g.sub(start, window - 1), 0);
    // A slice's bound must be a symbolic dimension, not a value: the length of a range of `unseen` numbers is such a dimension.
    const oldest = unseen === 0 ? 0 : g.rangeBetween(g.scalar(0, 'int64'), unseen).dim(0);
    const end = subtractDims(tokens, left);
    return { queries, keys: g.slice(places, 0, oldest, end), oldest, end };
  });
}

/** @param q, k, v queries, keys and values split by head, [batch, keyValueHeads, …, headSize]; the result has q's shape */
function attendAt(
  g: GraphBuilder,
  [q, k, v]: readonly [Value, Value, Value],
  places: Places,
  layout: HeadLayout,
  { form, dropout }: Omit<OrderedAttention, 'chunks'>,
): Value {
  const products = g.fusedMatMul(q, k, { transB: true, alpha: scaleOf(form, layout) });
  const scores = biasedAmongNew(g, products, () => g.unsqueeze(places.keys, 0), places, layout, form);
  if (form.sinks) return g.matMul(dropout(softmaxWithSinks(g, scores, layout, form)), v);
  return weightedValues(g, scores, v, dropout);
}

/** Keys and values of earlier tokens, [batch, keyValueHeads, past, headSize], with a mask over these and the new tokens. */
interface PastKeysAndValues {
  key: Value;
  value: Value;
  /** [batch, past + tokens] integers: 0 for padding. */
  mask: Value;
}

/**
 * Computes attention from new tokens to earlier ones and to each other, for exported models: keys and values of earlier tokens
 * are an input, and those of all tokens are returned, instead of a cache with unused capacity.
 *
 * @returns the result as flat rows, and keys and values as [batch, keyValueHeads, past + tokens, headSize]
 */
export function attentionAfterPast(
  g: GraphBuilder,
  [query, key, value]: readonly [Value, Value, Value],
  past: PastKeysAndValues,
  layout: HeadLayout,
  form: AttentionForm,
): { mixed: Value; key: Value; value: Value } {
  const k = g.concat([past.key, splitHeads(g, key, layout)], 2);
  const v = g.concat([past.value, splitHeads(g, value, layout)], 2);
  const q = splitQueries(g, query, layout);
  const products = softcapped(g, g.fusedMatMul(q, k, { transB: true, alpha: scaleOf(form, layout) }), form);
  const biased = withPositionBiases(g, products, () => columnPositions(g, past.mask), layout, form);
  const scores = g.add(biased, paddedCausalMask(g, past, layout, form));
  const mixed = g.matMul(softmaxWithSinks(g, scores, layout, form), v);
  return { mixed: mergeHeads(g, mixed, layout), key: k, value: v };
}

/** Computes the position of each column of the mask (each key), without counting padding: [batch, columns]. */
const columnPositions = (g: GraphBuilder, mask: Value): Value => g.max(g.sub(g.cumSum(mask, 1), 1), 0);

/** Makes the mask [batch, 1, queriesPerKey · tokens, columns]: 0 where a token sees a column, very negative elsewhere. */
function paddedCausalMask(
  g: GraphBuilder,
  { key, mask }: PastKeysAndValues,
  layout: HeadLayout,
  { window }: AttentionForm,
): Value {
  const { batch, tokens } = layout;
  const { queries, keys } = inOrder(g, tokens, key.dim(2));
  const [from, to] = [g.unsqueeze(queries, 1), g.unsqueeze(keys, 0)];
  const before = g.lessOrEqual(to, from);
  const inWindow = window === undefined ? before : g.and(before, g.greater(to, g.sub(from, window)));
  const seen = g.and(g.unsqueeze(inWindow, 0), g.unsqueeze(g.cast(mask, 'bool'), 1));
  const groups = queriesPerKey(layout);
  const columns = keys.dim(0);
  const perGroup = g.expand(g.unsqueeze(g.where(seen, g.scalar(0), MASKED), 1), [batch, groups, tokens, columns]);
  return g.reshape(perGroup, [batch, 1, multiplyDims(groups, tokens), columns]);
}

export const scaleOf = ({ scale }: AttentionForm, { headSize }: HeadLayout) => scale ?? 1 / Math.sqrt(headSize);

/** Computes c · tanh(scores / c) if the layer's attention has a bound c of its scores (softcap). */
export const softcapped = (g: GraphBuilder, scores: Value, { softcap }: AttentionForm): Value =>
  softcap === undefined ? scores : g.mul(g.tanh(g.div(scores, softcap)), softcap);

/** Computes the softmax over the last axis. Attention sinks are one more column of scores, removed after the softmax. */
export function softmaxWithSinks(g: GraphBuilder, scores: Value, layout: HeadLayout, { sinks }: AttentionForm): Value {
  if (!sinks) return g.softmax(scores);
  const column = g.expand(rowsOfHeads(g, sinks, layout), [...scores.shape.slice(0, 3), 1]);
  return g.slice(g.softmax(g.concat([scores, column], -1)), -1, 0, scores.dim(-1));
}

/** Repeats one number for each head: [heads] → [1, keyValueHeads, queriesPerKey · tokens, 1]. */
function rowsOfHeads(g: GraphBuilder, perHead: Value, layout: HeadLayout): Value {
  const { tokens, keyValueHeads } = layout;
  const groups = queriesPerKey(layout);
  const apart = g.expand(g.reshape(perHead, [1, keyValueHeads, groups, 1]), [1, keyValueHeads, groups, tokens]);
  return g.reshape(apart, [1, keyValueHeads, multiplyDims(groups, tokens), 1]);
}

/**
 * Adds the form's biases for the positions of the keys.
 *
 * @param scores [batch, keyValueHeads, queriesPerKey · tokens, columns]
 * @param positions [1 or batch, columns] integers; those beyond the end of the table are clamped, since no query sees them
 */
export function withPositionBiases(
  g: GraphBuilder,
  scores: Value,
  positions: () => Value,
  layout: HeadLayout,
  { positionBiases: table }: AttentionForm,
): Value {
  if (!table) return scores;
  const { tokens, keyValueHeads } = layout;
  const groups = queriesPerKey(layout);
  const places = g.min(g.cast(positions(), 'int64'), Number(table.dim(1)) - 1);
  const [batch, columns] = places.shape;
  const biases = g.transpose(g.gather(table, places, 1), [1, 0, 2]);
  const apart = g.reshape(biases, [batch, multiplyDims(keyValueHeads, groups), 1, columns]);
  const rows = g.expand(apart, [batch, multiplyDims(keyValueHeads, groups), tokens, columns]);
  return g.add(scores, g.reshape(rows, [batch, keyValueHeads, multiplyDims(groups, tokens), columns]));
}

/** Applies softcap, biases and the causal mask to the scores of new tokens against each other. */
export function biasedAmongNew(
  g: GraphBuilder,
  scores: Value,
  positions: () => Value,
  places: Places,
  layout: HeadLayout,
  form: AttentionForm,
): Value {
  const biased = withPositionBiases(g, softcapped(g, scores, form), positions, layout, form);
  return g.add(biased, causalMask(g, places, layout, form));
}

/**
 * Makes the causal mask: 0 where a token sees another one, very negative for later tokens and for those before the window.
 *
 * @returns [tokens, columns], repeated for each query head of a group: [queriesPerKey · tokens, columns]; or [batch, 1, …]
 */
function causalMask(g: GraphBuilder, places: Places, layout: HeadLayout, { window }: AttentionForm): Value {
  const { queries } = places;
  const [from, to] = [g.unsqueeze(queries, queries.rank), g.unsqueeze(places.keys, 0)];
  const windowed = window === undefined ? 0 : g.where(g.greater(to, g.sub(from, window)), g.scalar(0), MASKED);
  const mask = g.where(g.lessOrEqual(to, from), windowed, MASKED);
  const groups = queriesPerKey(layout);
  const [tokens, columns] = mask.shape.slice(-2);
  const batch = mask.shape.slice(0, -2);
  const head = batch.map((): Dim => 1);
  if (groups === 1) return g.reshape(mask, [...batch, ...head, tokens, columns]);
  const repeated = g.expand(g.unsqueeze(mask, batch.length), [...batch, groups, tokens, columns]);
  return g.reshape(repeated, [...batch, ...head, multiplyDims(groups, tokens), columns]);
}

export const queriesPerKey = ({ heads, keyValueHeads }: Pick<HeadLayout, 'heads' | 'keyValueHeads'>) =>
  heads / keyValueHeads;

/** Splits queries by head: [batch · tokens, heads · headSize] → [batch, keyValueHeads, queriesPerKey · tokens, headSize]. */
export function splitQueries(g: GraphBuilder, x: Value, layout: HeadLayout): Value {
  const { batch, tokens, keyValueHeads, headSize } = layout;
  const groups = queriesPerKey(layout);
  if (tokens === 1) return g.reshape(x, [batch, keyValueHeads, groups, headSize]); // there is nothing to reorder
  if (groups === 1) return splitHeads(g, x, layout);
  const ordered = g.transpose(g.reshape(x, [batch, tokens, keyValueHeads, groups, headSize]), [0, 2, 3, 1, 4]);
  return g.reshape(ordered, [batch, keyValueHeads, multiplyDims(groups, tokens), headSize]);
}

/** Splits keys or values by head: [batch · tokens, keyValueHeads · headSize] → [batch, keyValueHeads, tokens, headSize]. */
export function splitHeads(g: GraphBuilder, x: Value, { batch, tokens, keyValueHeads, headSize }: HeadLayout): Value {
  if (tokens === 1) return g.reshape(x, [batch, keyValueHeads, 1, headSize]);
  return g.transpose(g.reshape(x, [batch, tokens, keyValueHeads, headSize]), [0, 2, 1, 3]);
}

/** Joins heads that `splitQueries` has split: [batch, keyValueHeads, queriesPerKey · tokens, headSize] → [batch · tokens, …]. */
export function mergeHeads(g: GraphBuilder, x: Value, layout: HeadLayout): Value {
  const { batch, tokens, heads, keyValueHeads, headSize } = layout;
  const groups = queriesPerKey(layout);
  if (tokens === 1) return g.reshape(x, [-1, heads * headSize]);
  if (groups === 1) return g.reshape(g.transpose(x, [0, 2, 1, 3]), [-1, heads * headSize]);
  const apart = g.reshape(x, [batch, keyValueHeads, groups, tokens, headSize]);
  return g.reshape(g.transpose(apart, [0, 3, 1, 2, 4]), [-1, heads * headSize]);
}
