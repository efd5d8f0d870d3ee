// Causal self-attention of new tokens over a cache of earlier keys and values, of which rows may have different capacities.
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

/** Keys and values of earlier tokens of some rows, [rows, keyValueHeads, capacity, headSize], of which the mask shows the valid part. */
export interface CachedKeysAndValues {
  key: Value;
  value: Value;
  /** [rows, 1, 1, capacity] 0 where the cache is valid, very negative elsewhere. */
  mask: Value;
}

/** The cache of a batch: rows of one capacity after those of another. */
interface AttentionCache {
  classes: readonly CachedKeysAndValues[];
  /** [batch, tokens] int32 positions of the new tokens; column c of the cache is position c. */
  positions: Value;
}

/**
 * Attends from new tokens to the cache and to one another. The scores against both are joined before the softmax, and the two
 * products with V are added, so that the cache is only read: its new part leaves the graph as a small output. Rows of
 * different capacities meet their own part of the cache each, and nothing of it beyond their capacity is read.
 *
 * @returns the mixed values as flat rows, and the new keys and values as [batch, keyValueHeads, tokens, headSize]
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
  // One new token attends to itself by a dot product: elementwise, since a batch of 1 × 1 products is slow.
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
 * Computes the part of attention that rows of one capacity have for themselves.
 *
 * @param query, present heads of the rows: scaled queries, and scores of their new tokens against one another
 * @returns what comes from the cache, as `query`, and the probabilities of the new tokens, as `present`
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

/** Returns scores against the cache, with what the form adds to them and the mask. */
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

/** Combines the cache's own mask with that of the window: [batch, 1, 1 or queriesPerKey · tokens, capacity]. */
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
  // Joined rather than expanded and reshaped: there may be no rows, of which ONNX Runtime reshapes nothing.
  return g.add(mask, g.concat(Array<Value>(groups).fill(g.unsqueeze(seen, 1)), 2));
}

/**
 * Returns the scale as a row of equal numbers. ONNX Runtime multiplies a single row by a matrix without packing the matrix, but only
 * where the product is not scaled; a scalar here it would turn into the scale of the product behind it.
 */
function scaleRow(g: GraphBuilder, layout: HeadLayout, form: AttentionForm): Value {
  return g.constant(new Float32Array(layout.headSize).fill(scaleOf(form, layout)), [layout.headSize]);
}
