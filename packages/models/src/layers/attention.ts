// Causal self-attention as graph pieces: over whole sequences, and over a cache of earlier keys and values.
//
//     attention(Q, K, V) = softmax(Q Kᵀ / √headSize + mask) V        (Vaswani et al. 2017, arXiv:1706.03762, eq. 1)
//
// With fewer key-value heads than query heads (grouped queries: Ainslie et al. 2023, arXiv:2305.13245) the queries that
// share a key-value head are stacked as more rows of the same product, so keys and values are never copied.
import { multiplyDims, type Dim, type GraphBuilder, type Value } from '@bowyer/graph';

/** Shape of flat rows [batch · tokens, heads · headSize]. */
export interface HeadLayout {
  batch: Dim;
  tokens: Dim;
  heads: number;
  /** Divides `heads`; query head h uses key-value head ⌊h / (heads / keyValueHeads)⌋. */
  keyValueHeads: number;
  headSize: number;
  /** How many tokens, itself included, a token attends to (sliding window); all before it where undefined. */
  window?: number;
}

/** Far below any score, and yet finite: masked scores become exactly 0 after the softmax. */
export const MASKED = -1e9;

/** Every token of a row attends to itself and to those before it. */
export function causalAttention(
  g: GraphBuilder,
  [query, key, value]: readonly [Value, Value, Value],
  layout: HeadLayout,
  dropout: (probabilities: Value) => Value,
): Value {
  const q = splitQueries(g, query, layout);
  const [k, v] = [key, value].map((x) => splitHeads(g, x, layout));
  const scores = g.fusedMatMul(q, k, { transB: true, alpha: 1 / Math.sqrt(layout.headSize) });
  const probabilities = g.softmax(g.add(scores, causalMask(g, layout)));
  return mergeHeads(g, g.matMul(dropout(probabilities), v), layout);
}

/** Keys and values of earlier tokens, [batch, keyValueHeads, capacity, headSize], of which the mask shows the valid part. */
export interface CachedKeysAndValues {
  key: Value;
  value: Value;
  /** [batch, 1, 1, capacity] 0 where the cache is valid, very negative elsewhere. */
  mask: Value;
  /** [batch, tokens] int32 positions of the new tokens; column c of the cache is position c. */
  positions: Value;
}

/**
 * New tokens attend to the cache and to one another. The scores against both are joined before the softmax, and the two
 * products with V are added, so that the cache is only read: its new part leaves the graph as a small output.
 *
 * @returns the mixed values as flat rows, and the new keys and values as [batch, keyValueHeads, tokens, headSize]
 */
export function cachedAttention(
  g: GraphBuilder,
  [query, key, value]: readonly [Value, Value, Value],
  cache: CachedKeysAndValues,
  layout: HeadLayout,
): { mixed: Value; key: Value; value: Value } {
  const q = g.mul(splitQueries(g, query, layout), inverseRoot(g, layout.headSize));
  const [k, v] = [key, value].map((x) => splitHeads(g, x, layout));
  const past = g.add(g.fusedMatMul(q, cache.key, { transB: true }), cacheMask(g, cache, layout));
  // One new token attends to itself by a dot product: elementwise, since a batch of 1 × 1 products is slow.
  const present =
    layout.tokens === 1
      ? g.reduceSum(g.mul(q, k), { axes: [-1], keepdims: true })
      : g.add(g.fusedMatMul(q, k, { transB: true }), causalMask(g, layout));
  const probabilities = g.softmax(g.concat([past, present], -1));
  const [toPast, toPresent] = g.split(probabilities, -1, [past.dim(-1), present.dim(-1)]);
  const own = layout.tokens === 1 ? g.mul(toPresent, v) : g.matMul(toPresent, v);
  const mixed = g.add(g.matMul(toPast, cache.value), own);
  return { mixed: mergeHeads(g, mixed, layout), key: k, value: v };
}

/**
 * 1 / √headSize as a row of equal numbers. ONNX Runtime multiplies a single row by a matrix without packing the matrix, but
 * only where the product is not scaled; a scalar here it would turn into the scale of the product behind it.
 */
function inverseRoot(g: GraphBuilder, headSize: number): Value {
  return g.constant(new Float32Array(headSize).fill(1 / Math.sqrt(headSize)), [headSize]);
}

/**
 * 0 where a token sees another, very negative elsewhere: no token sees a later one, nor one before its window.
 *
 * @returns [tokens, tokens], once for each query head of a group: [queriesPerKey · tokens, tokens]
 */
function causalMask(g: GraphBuilder, layout: HeadLayout): Value {
  const { tokens, window } = layout;
  const places = g.range(tokens);
  const [from, to] = [g.unsqueeze(places, 1), g.unsqueeze(places, 0)];
  const windowed = window === undefined ? 0 : g.where(g.greater(to, g.sub(from, window)), g.scalar(0), MASKED);
  const mask = g.where(g.lessOrEqual(to, from), windowed, MASKED);
  const groups = queriesPerKey(layout);
  if (groups === 1) return mask;
  return g.reshape(g.expand(g.unsqueeze(mask, 0), [groups, tokens, tokens]), [multiplyDims(groups, tokens), tokens]);
}

/** The cache's own mask, and beyond it that of the window: [batch, 1, 1 or queriesPerKey · tokens, capacity]. */
function cacheMask(g: GraphBuilder, { key, mask, positions }: CachedKeysAndValues, layout: HeadLayout): Value {
  const { batch, tokens, window } = layout;
  if (window === undefined) return mask;
  const capacity = key.dim(2);
  const columns = g.reshape(g.range(capacity), [1, 1, capacity]);
  const oldest = g.sub(g.unsqueeze(g.cast(positions, 'int64'), 2), window - 1);
  const seen = g.where(g.greaterOrEqual(columns, oldest), g.scalar(0), MASKED);
  const groups = tokens === 1 ? 1 : queriesPerKey(layout);
  const perGroup = g.expand(g.unsqueeze(seen, 1), [batch, groups, tokens, capacity]);
  return g.add(mask, g.reshape(perGroup, [batch, 1, multiplyDims(groups, tokens), capacity]));
}

const queriesPerKey = ({ heads, keyValueHeads }: HeadLayout) => heads / keyValueHeads;

/** [batch · tokens, heads · headSize] → [batch, keyValueHeads, queriesPerKey · tokens, headSize]. */
export function splitQueries(g: GraphBuilder, x: Value, layout: HeadLayout): Value {
  const { batch, tokens, keyValueHeads, headSize } = layout;
  const groups = queriesPerKey(layout);
  if (tokens === 1) return g.reshape(x, [batch, keyValueHeads, groups, headSize]); // nothing to reorder
  if (groups === 1) return splitHeads(g, x, layout);
  const ordered = g.transpose(g.reshape(x, [batch, tokens, keyValueHeads, groups, headSize]), [0, 2, 3, 1, 4]);
  return g.reshape(ordered, [batch, keyValueHeads, multiplyDims(groups, tokens), headSize]);
}

/** [batch · tokens, keyValueHeads · headSize] → [batch, keyValueHeads, tokens, headSize]. */
export function splitHeads(g: GraphBuilder, x: Value, { batch, tokens, keyValueHeads, headSize }: HeadLayout): Value {
  if (tokens === 1) return g.reshape(x, [batch, keyValueHeads, 1, headSize]);
  return g.transpose(g.reshape(x, [batch, tokens, keyValueHeads, headSize]), [0, 2, 1, 3]);
}

/** The inverse of `splitQueries`. */
export function mergeHeads(g: GraphBuilder, x: Value, layout: HeadLayout): Value {
  const { batch, tokens, heads, keyValueHeads, headSize } = layout;
  const groups = queriesPerKey(layout);
  if (tokens === 1) return g.reshape(x, [-1, heads * headSize]);
  if (groups === 1) return g.reshape(g.transpose(x, [0, 2, 1, 3]), [-1, heads * headSize]);
  const apart = g.reshape(x, [batch, keyValueHeads, groups, tokens, headSize]);
  return g.reshape(g.transpose(apart, [0, 3, 1, 2, 4]), [-1, heads * headSize]);
}
