// Causal self-attention as graph pieces: over whole sequences, and over a cache of earlier keys and values.
//
//     attention(Q, K, V) = softmax(Q Kᵀ / √headSize + mask) V        (Vaswani et al. 2017, arXiv:1706.03762, eq. 1)
import { type Dim, type GraphBuilder, type Value } from '@bowyer/graph';

/** How flat rows [batch · tokens, heads · headSize] are to be read. */
export interface HeadLayout {
  batch: Dim;
  tokens: Dim;
  heads: number;
  headSize: number;
}

/** Far below any score, and yet finite: masked scores become exactly 0 after the softmax. */
const MASKED = -1e9;

/** Every token of a row attends to itself and to those before it. */
export function causalAttention(
  g: GraphBuilder,
  [query, key, value]: readonly [Value, Value, Value],
  layout: HeadLayout,
  dropout: (probabilities: Value) => Value,
): Value {
  const [q, k, v] = [query, key, value].map((x) => splitHeads(g, x, layout));
  const scores = g.fusedMatMul(q, k, { transB: true, alpha: 1 / Math.sqrt(layout.headSize) });
  const probabilities = g.softmax(g.add(scores, causalMask(g, layout.tokens)));
  return mergeHeads(g, g.matMul(dropout(probabilities), v), layout);
}

/** Keys and values of earlier tokens, [batch, heads, capacity, headSize], of which the mask shows the valid part. */
export interface CachedKeysAndValues {
  key: Value;
  value: Value;
  /** [batch, 1, 1, capacity] 0 where the cache is valid, very negative elsewhere. */
  mask: Value;
}

/**
 * New tokens attend to the cache and to one another. The scores against both are joined before the softmax, and the two
 * products with V are added, so that the cache is only read: its new part leaves the graph as a small output.
 *
 * @returns the mixed values as flat rows, and the new keys and values as [batch, heads, tokens, headSize]
 */
export function cachedAttention(
  g: GraphBuilder,
  [query, key, value]: readonly [Value, Value, Value],
  cache: CachedKeysAndValues,
  layout: HeadLayout,
): { mixed: Value; key: Value; value: Value } {
  const [q, k, v] = [query, key, value].map((x) => splitHeads(g, x, layout));
  const product = { transB: true, alpha: 1 / Math.sqrt(layout.headSize) };
  const past = g.add(g.fusedMatMul(q, cache.key, product), cache.mask);
  // One new token attends to itself by a dot product: elementwise, since a batch of 1 × 1 products is slow.
  const present =
    layout.tokens === 1
      ? g.reduceSum(g.mul(g.mul(q, product.alpha), k), { axes: [-1], keepdims: true })
      : g.add(g.fusedMatMul(q, k, product), causalMask(g, layout.tokens));
  const probabilities = g.softmax(g.concat([past, present], -1));
  const [toPast, toPresent] = g.split(probabilities, -1, [past.dim(-1), present.dim(-1)]);
  const own = layout.tokens === 1 ? g.mul(toPresent, v) : g.matMul(toPresent, v);
  const mixed = g.add(g.matMul(toPast, cache.value), own);
  return { mixed: mergeHeads(g, mixed, layout), key: k, value: v };
}

/** [tokens, tokens] 0 on and below the diagonal, very negative above: no token sees a later one. */
function causalMask(g: GraphBuilder, tokens: Dim): Value {
  const places = g.range(tokens);
  return g.where(g.lessOrEqual(g.unsqueeze(places, 0), g.unsqueeze(places, 1)), g.scalar(0), MASKED);
}

/** [batch · tokens, heads · headSize] → [batch, heads, tokens, headSize]. */
function splitHeads(g: GraphBuilder, x: Value, { batch, tokens, heads, headSize }: HeadLayout): Value {
  if (tokens === 1) return g.reshape(x, [batch, heads, 1, headSize]); // nothing to reorder
  return g.transpose(g.reshape(x, [batch, tokens, heads, headSize]), [0, 2, 1, 3]);
}

/** [batch, heads, tokens, headSize] → [batch · tokens, heads · headSize]. */
function mergeHeads(g: GraphBuilder, x: Value, { tokens, heads, headSize }: HeadLayout): Value {
  const ordered = tokens === 1 ? x : g.transpose(x, [0, 2, 1, 3]);
  return g.reshape(ordered, [-1, heads * headSize]);
}
