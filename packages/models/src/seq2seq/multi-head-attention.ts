// Computes attention between two sequences of any lengths:
//
//     softmax(scale · Q Kᵀ + bias + mask) V        (Vaswani et al. 2017, arXiv:1706.03762, eq. 1)
import type { Dim, GraphBuilder, Value } from '@bowyer/graph';

/** The score of a masked key: finite, but so low that it becomes exactly 0 after the softmax. */
export const MASKED = -1e9;

/** The sizes by which rows [batch · tokens, heads · headSize] are split into heads. */
export interface HeadShape {
  batch: Dim;
  heads: number;
  headSize: number;
}

/** Splits rows by head: [batch · tokens, heads · headSize] → [batch, heads, tokens, headSize]. */
export function splitHeads(g: GraphBuilder, x: Value, { batch, heads, headSize }: HeadShape, tokens: Dim): Value {
  if (tokens === 1) return g.reshape(x, [batch, heads, 1, headSize]);
  return g.transpose(g.reshape(x, [batch, tokens, heads, headSize]), [0, 2, 1, 3]);
}

/** Merges heads: [batch, heads, tokens, headSize] → rows [batch · tokens, heads · headSize]. */
export function mergeHeads(g: GraphBuilder, x: Value, { heads, headSize }: HeadShape): Value {
  const byToken = x.dim(2) === 1 ? x : g.transpose(x, [0, 2, 1, 3]);
  return g.reshape(byToken, [-1, heads * headSize]);
}

/** @param terms added to the scores [batch, heads, tokens, keys]; key and value are [batch, heads, keys, headSize] */
export function attend(
  g: GraphBuilder,
  [query, key, value]: readonly [Value, Value, Value],
  { scale, terms }: { scale: number; terms: readonly (Value | undefined)[] },
): Value {
  const scores = sumOf(g, g.fusedMatMul(query, key, { transB: true, alpha: scale }), terms);
  return g.matMul(g.softmax(scores), value);
}

/**
 * Computes attention from one new token to a cache and to itself. The scores against both are concatenated before the softmax, and the
 * products with V are added, so that the cache is only read.
 *
 * @param cache key and value [batch, heads, capacity, headSize]
 * @param terms added to the scores [batch, heads, 1, capacity + 1]
 */
export function attendCached(
  g: GraphBuilder,
  [query, key, value]: readonly [Value, Value, Value],
  cache: { key: Value; value: Value },
  { scale, terms }: { scale: number; terms: readonly (Value | undefined)[] },
): Value {
  const past = g.fusedMatMul(query, cache.key, { transB: true, alpha: scale });
  const own = g.reduceSum(g.mul(g.mul(query, scale), key), { axes: [-1], keepdims: true });
  const probabilities = g.softmax(sumOf(g, g.concat([past, own], -1), terms));
  const [toPast, toOwn] = g.split(probabilities, -1, [past.dim(-1), 1]);
  return g.add(g.matMul(toPast, cache.value), g.mul(toOwn, value));
}

const sumOf = (g: GraphBuilder, x: Value, terms: readonly (Value | undefined)[]): Value =>
  terms.reduce<Value>((sum, term) => (term ? g.add(sum, term) : sum), x);

/** Makes the causal mask [1, 1, tokens, keys]: 0 where a key's position is at most the query's, very negative after it. */
export function causalTerm(g: GraphBuilder, positions: Value, keyPositions: Value): Value {
  const seen = g.lessOrEqual(g.unsqueeze(keyPositions, 0), g.unsqueeze(positions, 1));
  return g.unsqueeze(g.unsqueeze(g.where(seen, g.scalar(0), MASKED), 0), 0);
}

/** Makes the padding mask [batch, 1, 1, keys], very negative for padding, from `mask` [batch, keys], 1 for tokens, else 0. */
export const paddingTerm = (g: GraphBuilder, mask: Value): Value =>
  g.unsqueeze(g.unsqueeze(g.mul(g.sub(mask, 1), -MASKED), 1), 1);
