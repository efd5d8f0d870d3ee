// Computes T5's biases by relative position: distances between tokens are divided into buckets, which are exact for small distances and
// logarithmic for larger ones.
// Source: Raffel et al. 2020 (arXiv:1910.10683), section 2.1.
import type { GraphBuilder, Value } from '@bowyer/graph';

export interface BucketOptions {
  buckets: number;
  /** Distances from this one on share the last bucket. */
  maxDistance: number;
  /** Whether keys on each side have half of the buckets (in the encoder); otherwise only keys on the left have buckets. */
  bidirectional: boolean;
}

/**
 * Computes the bucket of each distance 0 … maxDistance on one side, with n the buckets of that side and e = n/2:
 *
 *     d                                                     for d < e
 *     min(n − 1, e + ⌊ln(d/e) / ln(maxDistance/e) · (n − e)⌋)   else
 *
 * Computed in float32, as in training, so that a distance at a border falls into the same bucket.
 */
export function distanceBuckets({ buckets, maxDistance, bidirectional }: BucketOptions): number[] {
  const sideBuckets = bidirectional ? buckets / 2 : buckets;
  const exact = Math.floor(sideBuckets / 2);
  const f = Math.fround;
  return Array.from({ length: maxDistance + 1 }, (_, distance) => {
    if (distance < exact) return distance;
    const ratio = f(f(Math.log(f(distance / exact))) / f(Math.log(maxDistance / exact)));
    return Math.min(sideBuckets - 1, exact + Math.floor(f(ratio * (sideBuckets - exact))));
  });
}

/** Computes the attention bias [1, heads, tokens, keys] from a table [buckets, heads] and int64 positions [tokens] and [keys]. */
export function relativePositionBias(
  g: GraphBuilder,
  table: Value,
  { positions, keyPositions }: { positions: Value; keyPositions: Value },
  options: BucketOptions,
): Value {
  const { buckets, maxDistance, bidirectional } = options;
  const [keys, queries] = [g.unsqueeze(keyPositions, 0), g.unsqueeze(positions, 1)];
  const [ahead, back] = [g.sub(keys, queries), g.sub(queries, keys)];
  // `where` on int32 is used instead of |x|, min and max, which ONNX Runtime does not support for integers on a GPU.
  const distance = g.where(g.greater(back, 0), back, bidirectional ? ahead : g.scalar(0, 'int64'));
  const known = g.where(g.less(distance, maxDistance), distance, maxDistance);
  const side = g.gather(g.constant(Int32Array.from(distanceBuckets(options)), [maxDistance + 1]), known, 0);
  // Keys on the right have the second half of the buckets.
  const isRight = g.greater(ahead, 0);
  const bucket = bidirectional ? g.add(side, g.where(isRight, g.scalar(buckets / 2, 'int32'), 0)) : side;
  return g.unsqueeze(g.transpose(g.gather(table, bucket, 0), [2, 0, 1]), 0);
}
