// Computes DeBERTa's disentangled attention, which adds up to two terms to the product of query and key: the content of either token
// times an embedding of their relative position.
//
//     score(i, j) = (Qc_i · Kc_j  +  Qc_i · Kr_δ(i,j)  +  Kc_j · Qr_δ(j,i)) / √(terms · d),   δ the bucket of a distance
//
// Source: He et al. 2020 (arXiv:2006.03654), eq. 4; buckets and shared projections: He et al. 2021 (arXiv:2111.09543), appendix A.
import type { Dim, GraphBuilder, Value } from '@bowyer/graph';
import { linear, type Parameters } from '../layers/linear.js';
import type { DebertaSettings } from './deberta-config.js';
import type { EncoderConfig } from './encoder-config.js';

const TABLE = 'encoder.rel_embeddings.weight';
const NORM = 'encoder.LayerNorm';

type Relative = NonNullable<DebertaSettings['relative']>;

/** The embeddings of relative positions, and the bucket of each pair of tokens; all layers use the same. */
export interface Distances {
  /** [2 · span, hidden] the embedding of each bucket. */
  table: Value;
  /** int32 [tokens, tokens] the bucket of the distance from query i to key j, and from key j to query i. */
  toKey: Value;
  toQuery: Value;
}

/** Returns the number of buckets on each side of distance 0. */
const spanOf = ({ buckets, maxDistance }: Relative) => (buckets > 0 ? buckets : maxDistance);

/**
 * Computes the bucket of a distance d ≥ 0, with m half of the buckets and M the largest distance:
 *
 *     d                                              for d ≤ m
 *     m + ⌈ln(d/m) / ln((M − 1)/m) · (m − 1)⌉        else
 *
 * Computed in float32, as in training, so that a distance at a border falls into the same bucket.
 */
export function distanceBucket(
  distance: number,
  { buckets, maxDistance }: Pick<Relative, 'buckets' | 'maxDistance'>,
): number {
  const middle = Math.floor(buckets / 2);
  if (buckets <= 0 || distance <= middle) return distance;
  const f = Math.fround;
  const ratio = f(f(Math.log(f(distance / middle))) / f(Math.log(f((maxDistance - 1) / middle))));
  return middle + Math.ceil(f(ratio * (middle - 1)));
}

/** Computes the embeddings and buckets of relative positions. @param tokens the length of the texts, at most the encoder's */
export function distances(g: GraphBuilder, parameters: Parameters, config: EncoderConfig, tokens: Dim): Distances {
  const relative = config.deberta!.relative!;
  const span = spanOf(relative);
  const furthest = config.maxPositions - 1;
  // Row d + furthest has the bucket of distance d, where bucket 0 is that of the most negative distance.
  const buckets = Int32Array.from({ length: 2 * furthest + 1 }, (_, row) => {
    const distance = row - furthest;
    const bucket = span + Math.sign(distance) * distanceBucket(Math.abs(distance), relative);
    return Math.min(2 * span - 1, Math.max(0, bucket));
  });
  const lookUp = g.constant(buckets, [buckets.length]);
  const places = g.range(tokens);
  const [rows, columns] = [g.unsqueeze(places, 1), g.unsqueeze(places, 0)];
  const bucketOf = (from: Value, to: Value) => g.gather(lookUp, g.add(g.sub(from, to), furthest));
  const table = parameters[TABLE];
  return {
    table: relative.normalized
      ? g.layerNormalization(table, parameters[`${NORM}.weight`], parameters[`${NORM}.bias`], {
          epsilon: config.layerNormEps,
        })
      : table,
    toKey: bucketOf(rows, columns),
    toQuery: bucketOf(columns, rows),
  };
}

/** Computes the factor of products of queries and keys: 1/√headSize, with DeBERTa 1/√(number of terms · headSize). */
export function scoreScale({ hiddenSize, numHeads, deberta }: EncoderConfig): number {
  const terms = 1 + Number(deberta?.contentToPosition ?? false) + Number(deberta?.positionToContent ?? false);
  return 1 / Math.sqrt((terms * hiddenSize) / numHeads);
}

/** Computes scores [batch, heads, tokens, tokens], without a mask, of `query` and `key` [batch, heads, tokens, headSize]. */
export function disentangledAttention(
  g: GraphBuilder,
  [query, key]: readonly [Value, Value],
  parameters: Parameters,
  name: string,
  config: EncoderConfig,
  { table, toKey, toQuery }: Distances,
): Value {
  const { numHeads, hiddenSize } = config;
  const { contentToPosition, positionToContent } = config.deberta!;
  const relative = config.deberta!.relative!;
  const headSize = hiddenSize / numHeads;
  const alpha = scoreScale(config);
  /** Projects the embeddings of relative positions to [heads, 2 · span, headSize], by the shared projection or by `own`. */
  const mapped = (own: string, shared: string) => {
    const rows = linear(g, table, parameters, `${name}.${relative.sharedMaps ? shared : own}`);
    return g.transpose(g.reshape(rows, [table.dim(0), numHeads, headSize]), [1, 0, 2]);
  };
  /** Multiplies x by the embeddings of all buckets, [batch, heads, tokens, 2 · span], and selects one product for each pair of tokens. */
  const picked = (x: Value, embeddings: Value, buckets: Value) => {
    const all = g.fusedMatMul(x, g.unsqueeze(embeddings, 0), { transB: true, alpha });
    const index = g.expand(g.unsqueeze(g.unsqueeze(g.cast(buckets, 'int64'), 0), 0), [
      x.dim(0),
      numHeads,
      x.dim(2),
      x.dim(2),
    ]);
    return g.gatherElements(all, index, 3);
  };
  let scores = g.fusedMatMul(query, key, { transB: true, alpha });
  if (contentToPosition) {
    scores = g.add(scores, picked(query, mapped('pos_key_proj', 'key_proj'), toKey));
  }
  if (positionToContent) {
    // These products have keys as rows and queries as columns, so they are transposed before they are added to the scores.
    const fromKeys = picked(key, mapped('pos_query_proj', 'query_proj'), toQuery);
    scores = g.add(scores, g.transpose(fromKeys, [0, 1, 3, 2]));
  }
  return scores;
}

/** Returns the names and shapes of the tensors that DeBERTa has and BERT does not have. */
export function debertaShapes({ hiddenSize, numLayers, deberta }: EncoderConfig): Record<string, number[]> {
  const relative = deberta?.relative;
  if (!deberta || !relative) return {};
  const maps = [
    ...(deberta.contentToPosition ? ['pos_key_proj'] : []),
    ...(deberta.positionToContent ? ['pos_query_proj'] : []),
  ];
  const layers = Array.from({ length: numLayers }, (_, layer) =>
    maps.flatMap((map) => [
      [`encoder.layer.${layer}.attention.self.${map}.weight`, [hiddenSize, hiddenSize]],
      [`encoder.layer.${layer}.attention.self.${map}.bias`, [hiddenSize]],
    ]),
  ).flat() as [string, number[]][];
  return {
    [TABLE]: [2 * spanOf(relative), hiddenSize],
    ...(relative.normalized && { [`${NORM}.weight`]: [hiddenSize], [`${NORM}.bias`]: [hiddenSize] }),
    ...(relative.sharedMaps ? {} : Object.fromEntries(layers)),
  };
}
