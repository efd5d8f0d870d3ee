// Causal self-attention of new tokens over a cache of earlier keys and values, whose rows may have two different capacities.
import type { GraphBuilder, Value } from '@bowyer/graph';
import {
  biasedAmongNew,
  inOrder,
  MASKED,
  mergeHeads,
  queriesPerKey,
  scaleOf,
  softcapped,
  softmaxWithSinks,
  splitHeads,
  splitQueries,
  withPositionBiases,
  type AttentionForm,
  type HeadLayout,
} from './attention.js';

/** Cached keys and values of rows with the same capacity, [rows, keyValueHeads, capacity, headSize]; the mask marks the valid part. */
export interface CachedKeysAndValues {
  key: Value;
  value: Value;
  /** [rows, 1, 1, capacity] 0 where the cache is valid, very negative elsewhere. */
  mask: Value;
}

/** The cache of a batch, divided into runs of rows with the same capacity. */
interface AttentionCache {
  classes: readonly CachedKeysAndValues[];
  /** [batch, tokens] int32 positions of the new tokens; column c of the cache has position c. */
  positions: Value;
}

/**
 * Computes attention from new tokens to the cache and to each other. The scores against both are concatenated before the softmax, and
 * the two products with V are added. The cache is only read, and the new keys and values are a small output. For rows of different
 * capacities, nothing beyond their own capacity is read.
 *
 * @returns the result as flat rows, and the new keys and values as [batch, keyValueHeads, tokens, headSize]
 */
export function cachedAttention(
  g: GraphBuilder,
  [query, key, value]: readonly [Value, Value, Value],
  { classes, positions }: AttentionCache,
  layout: HeadLayout,
  form: AttentionForm,
): { mixed: Value; key: Value; value: Value } {
  const q = g.mul(splitQueries(g, query, layout), scaleRow(g, layout, form));
  const [k, v] = [key, value].map((x) => splitHeads(g, x, layout));
  // With one new token, its score against itself is an elementwise dot product, since a batch of 1 × 1 products is slow.
  const own = () => positions;
  const present =
    layout.tokens === 1
      ? withPositionBiases(
          g,
          softcapped(g, g.reduceSum(g.mul(q, k), { axes: [-1], keepdims: true }), form),
          own,
          layout,
          form,
        )
      : biasedAmongNew(g, g.fusedMatMul(q, k, { transB: true }), own, inOrder(g, layout.tokens), layout, form);
  const rows = classes.map(({ key: cached }) => cached.dim(0));
  const [queries, scores] = [q, present].map((x) => g.split(x, 0, rows));
  const parts = classes.map((cache, i) => {
    const ownPositions = () => g.split(positions, 0, rows)[i];
    return attendToCache(g, [queries[i], scores[i], cache], { ...layout, batch: rows[i] }, ownPositions, form);
  });
  const [fromPast, toPresent] = [0, 1].map((which) =>
    g.concat(
      parts.map((part) => part[which]),
      0,
    ),
  );
  const fromNew = layout.tokens === 1 ? g.mul(toPresent, v) : g.matMul(toPresent, v);
  return { mixed: mergeHeads(g, g.add(fromPast, fromNew), layout), key: k, value: v };
}

/**
 * Computes the part of attention that is separate for rows of one capacity.
 *
 * @param query, present heads of these rows: scaled queries, and the scores of their new tokens against each other
 * @returns the sum over the cache, in the shape of `query`, and the probabilities of the new tokens, in the shape of `present`
 */
function attendToCache(
  g: GraphBuilder,
  [query, present, cache]: readonly [Value, Value, CachedKeysAndValues],
  layout: HeadLayout,
  positions: () => Value,
  form: AttentionForm,
): [Value, Value] {
  const products = g.fusedMatMul(query, cache.key, { transB: true });
  const past = biasedAgainstCache(g, products, cache, layout, positions, form);
  const probabilities = softmaxWithSinks(g, g.concat([past, present], -1), layout, form);
  const [toPast, toPresent] = g.split(probabilities, -1, [past.dim(-1), present.dim(-1)]);
  return [g.matMul(toPast, cache.value), toPresent];
}

/** Returns the scores against the cache, with softcap, biases and the mask. */
function biasedAgainstCache(
  g: GraphBuilder,
  scores: Value,
  cache: CachedKeysAndValues,
  layout: HeadLayout,
  newPositions: () => Value,
  form: AttentionForm,
): Value {
  const columns = () => g.unsqueeze(g.range(cache.key.dim(2)), 0);
  const biased = withPositionBiases(g, softcapped(g, scores, form), columns, layout, form);
  return g.add(biased, cacheMask(g, cache, layout, newPositions, form));
}

/** Combines the cache's mask with that of the sliding window: [batch, 1, 1 or queriesPerKey · tokens, capacity]. */
function cacheMask(
  g: GraphBuilder,
  { key, mask }: CachedKeysAndValues,
  layout: HeadLayout,
  newPositions: () => Value,
  { window }: AttentionForm,
): Value {
  const { tokens } = layout;
  if (window === undefined) return mask;
  const capacity = key.dim(2);
  const columns = g.reshape(g.range(capacity), [1, 1, capacity]);
  const oldest = g.sub(g.unsqueeze(g.cast(newPositions(), 'int64'), 2), window - 1);
  const seen = g.where(g.greaterOrEqual(columns, oldest), g.scalar(0), MASKED);
  const groups = tokens === 1 ? 1 : queriesPerKey(layout);
  // `concat` is used instead of expand and reshape, because ONNX Runtime cannot reshape a tensor without rows.
  return g.add(mask, g.concat(Array<Value>(groups).fill(g.unsqueeze(seen, 1)), 2));
}

/**
 * Returns the scale as a row of equal numbers. ONNX Runtime multiplies a single row by a matrix without packing the matrix, but only
 * if the product is not scaled; it would fuse a scalar into the product that follows.
 */
function scaleRow(g: GraphBuilder, layout: HeadLayout, form: AttentionForm): Value {
  return g.constant(new Float32Array(layout.headSize).fill(scaleOf(form, layout)), [layout.headSize]);
}
