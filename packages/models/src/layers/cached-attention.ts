// Builds causal self-attention of new tokens over a cache of earlier keys and values. The batch rows of the cache may have two
// different capacities, and may share the keys and values of a common prefix.
import { multiplyDims, type GraphBuilder, type Value } from '@bowyer/graph';
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

/** Keys and values of prefixes that several batch rows have in common, [1, keyValueHeads, positions, headSize]. */
export interface SharedKeysAndValues {
  key: Value;
  value: Value;
  /** [rows] int32: the index of each batch row's first shared position, and the number of them, which may be 0. */
  begins: Value;
  lengths: Value;
}

/** The KV cache of a batch, divided into classes of neighbouring batch rows with the same capacity. */
interface AttentionCache {
  classes: readonly CachedKeysAndValues[];
  shared?: SharedKeysAndValues;
  /** [batch, tokens] int32 positions of the new tokens, counted in the row's own cache, which follows the shared prefix. */
  positions: Value;
}

/**
 * Computes attention from new tokens to the cache and to each other. The scores against both are concatenated before the softmax, and
 * the two products with V are added. The cache is only read, and the new keys and values are a small output. For rows of different
 * capacities, nothing beyond their own capacity is read.
 *
 * @returns the result [batch · tokens, heads · headSize], and the new keys and values as [batch, keyValueHeads, tokens, headSize]
 */
export function cachedAttention(
  g: GraphBuilder,
  [query, key, value]: readonly [Value, Value, Value],
  { classes, shared, positions }: AttentionCache,
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
  const toShared =
    shared &&
    biasedAgainstPast(
      g,
      byAllRows(g, q, (all) => g.fusedMatMul(all, shared.key, { transB: true })),
      sharedPart(g, shared),
      layout,
      own,
      form,
    );
  const rows = classes.map(({ key: cached }) => cached.dim(0));
  const queries = g.split(q, 0, rows);
  const others = (toShared ? [toShared, present] : [present]).map((scores) => g.split(scores, 0, rows));
  const parts = classes.map((cache, i) => {
    const ofRows = (x: Value) => g.split(x, 0, rows)[i];
    const columns = () => {
      const numbered = g.unsqueeze(g.range(cache.key.dim(2)), 0);
      return shared ? g.add(numbered, g.unsqueeze(g.cast(ofRows(shared.lengths), 'int64'), 1)) : numbered;
    };
    const scores = others.map((split) => split[i]);
    const part = { ...cache, columns };
    return attendToCache(g, [queries[i], scores, part], { ...layout, batch: rows[i] }, () => ofRows(positions), form);
  });
  const joined = parts[0].map((_, which) =>
    g.concat(
      parts.map((part) => part[which]),
      0,
    ),
  );
  const [fromCache, toPresent] = [joined[0], joined.at(-1)!];
  const fromNew = layout.tokens === 1 ? g.mul(toPresent, v) : g.matMul(toPresent, v);
  const fromRows = g.add(fromCache, fromNew);
  const mixed = shared
    ? g.add(
        fromRows,
        byAllRows(g, joined[1], (all) => g.matMul(all, shared.value)),
      )
    : fromRows;
  return { mixed: mergeHeads(g, mixed, layout), key: k, value: v };
}

/**
 * Computes the product of all rows with shared keys or values as one matrix product per head, which reads these once.
 *
 * @param x [rows, heads, tokens, n]
 * @param product takes and returns [1, heads, rows · tokens, …]
 */
function byAllRows(g: GraphBuilder, x: Value, product: (all: Value) => Value): Value {
  const [rows, heads, tokens, n] = x.shape;
  const swapped = g.transpose(x, [1, 0, 2, 3]);
  const result = product(g.reshape(swapped, [1, heads, multiplyDims(rows, tokens), n]));
  return g.transpose(g.reshape(result, [heads, rows, tokens, result.dim(3)]), [1, 0, 2, 3]);
}

/** A range of cached keys (shared by rows, or a row's own) that new tokens attend to; a column is one cached key. */
interface PastPart {
  /** Broadcasts to [rows, 1, 1, columns]: 0 where a column is valid, very negative elsewhere. */
  mask: Value;
  /** Returns the position of each column, [1 or rows, columns] int64. */
  columns: () => Value;
}

/** Describes the columns of the shared keys; by the mask, each row attends only to the positions of its own prefix. */
function sharedPart(g: GraphBuilder, { key, ...of }: SharedKeysAndValues): PastPart {
  const [begins, lengths] = [of.begins, of.lengths].map((x) => g.unsqueeze(g.cast(x, 'int64'), 1));
  const places = g.sub(g.unsqueeze(g.range(key.dim(2)), 0), begins);
  const seen = g.and(g.greaterOrEqual(places, 0), g.less(places, lengths));
  const mask = g.unsqueeze(g.unsqueeze(g.where(seen, g.scalar(0), MASKED), 1), 1);
  return { mask, columns: () => g.max(places, 0) };
}

/**
 * Computes the attention to the rows' own cache, for rows of one capacity.
 *
 * @param query the scaled queries of these rows
 * @param others their scores against shared keys and new tokens, which take part in the same softmax
 * @returns the sum over the cache, in the shape of `query`, and the probabilities that belong to `others`, in their shapes
 */
function attendToCache(
  g: GraphBuilder,
  [query, others, cache]: readonly [Value, readonly Value[], CachedKeysAndValues & PastPart],
  layout: HeadLayout,
  positions: () => Value,
  form: AttentionForm,
): Value[] {
  const products = g.fusedMatMul(query, cache.key, { transB: true });
  const scores = [biasedAgainstPast(g, products, cache, layout, positions, form), ...others];
  const probabilities = softmaxWithSinks(g, g.concat(scores, -1), layout, form);
  const [toCache, ...toOthers] = g.split(
    probabilities,
    -1,
    scores.map((own) => own.dim(-1)),
  );
  return [g.matMul(toCache, cache.value), ...toOthers];
}

/** Applies softcap, biases and the mask to the scores against a range of cached keys. */
function biasedAgainstPast(
  g: GraphBuilder,
  scores: Value,
  part: PastPart,
  layout: HeadLayout,
  newPositions: () => Value,
  form: AttentionForm,
): Value {
  const biased = withPositionBiases(g, softcapped(g, scores, form), part.columns, layout, form);
  return g.add(biased, pastMask(g, part, layout, newPositions, form));
}

/** Combines the mask of cached keys with that of the sliding window: [batch, 1, 1 or queriesPerKey · tokens, columns]. */
function pastMask(
  g: GraphBuilder,
  { mask, columns }: PastPart,
  layout: HeadLayout,
  newPositions: () => Value,
  { window }: AttentionForm,
): Value {
  const { tokens } = layout;
  if (window === undefined) return mask;
  const oldest = g.sub(g.unsqueeze(g.cast(newPositions(), 'int64'), 2), window - 1);
  const seen = g.where(g.greaterOrEqual(g.unsqueeze(columns(), 1), oldest), g.scalar(0), MASKED);
  const groups = tokens === 1 ? 1 : queriesPerKey(layout);
  // The mask is repeated by `concat` instead of expand and reshape, since ONNX Runtime cannot reshape a tensor with 0 rows.
  return g.add(mask, g.concat(Array<Value>(groups).fill(g.unsqueeze(seen, 1)), 2));
}

/**
 * Returns the scale as a row of equal numbers. ONNX Runtime multiplies a single row by a matrix without packing the matrix, but only
 * if the product is not scaled; it would fuse a scalar into the product that follows.
 */
function scaleRow(g: GraphBuilder, layout: HeadLayout, form: AttentionForm): Value {
  return g.constant(new Float32Array(layout.headSize).fill(scaleOf(form, layout)), [layout.headSize]);
}
