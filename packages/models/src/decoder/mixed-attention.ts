// Builds attention for decoders whose layers differ in the size and number of heads, and whose last layers may read the keys and
// values of an earlier layer.
// Source: Gemma 4's model card and Hugging Face's Gemma4TextAttention; sharing between layers: Brandon et al. 2024,
// arXiv:2405.12981.
// In contrast to these, the KV cache has heads of the same size and number in all layers: smaller heads are padded with zeros,
// and key and value heads are repeated; neither changes a result.
import { maximum } from '@bowyer/core';
import type { Value } from '@bowyer/graph';
import type { ForwardScope } from '../architecture/architecture.js';
import type { AttentionForm } from '../layers/attention.js';
import { rotateHeads } from '../layers/rotary-embedding.js';
import type { RotaryFrequencies } from '../layers/rotary-frequencies.js';
import type { Layer, Part, Place } from './parts.js';
import type { HeadSizes } from './self-attention.js';

/** The layers that compute an attention layer's own keys and values. */
export interface OwnKeys {
  key: Layer;
  /** The projection of values; if undefined, the keys before norm and rotation are also the values. */
  value?: Layer;
  keyNorm: Layer;
  valueNorm: Layer;
}

interface MixedAttention extends HeadSizes {
  /**
   * Head sizes in the KV cache, the same for all layers: at least this layer's size, and a multiple of its key and value heads.
   */
  cached: HeadSizes;
  query: Layer;
  queryNorm: Layer;
  output: Layer;
  /** The layers that compute this layer's keys and values, or the index of the earlier layer whose keys and values it reads. */
  keys: OwnKeys | { of: number };
  rotary: RotaryFrequencies;
  form: AttentionForm & { scale: number };
}

/** Returns the sizes of heads in the KV cache, into which the heads of all layers fit. */
export function cachedHeads(layers: readonly HeadSizes[]): HeadSizes {
  const { heads } = layers[0];
  const keyValueHeads = layers.reduce((multiple, layer) => leastCommonMultiple(multiple, layer.keyValueHeads), 1);
  return { heads, keyValueHeads, headSize: maximum(layers.map(({ headSize }) => headSize)) };
}

export function mixedAttention(attention: MixedAttention): Part {
  const { query, queryNorm, output, keys, rotary, form, cached, heads, headSize } = attention;
  const own = 'of' in keys ? [] : [keys.key, keys.value, keys.keyNorm, keys.valueNorm];
  return {
    parameters: [query, queryNorm, ...own, output].flatMap((layer) => layer?.parameters ?? []),
    rotary,
    sharesCache: 'of' in keys,
    apply(scope, x, place) {
      const { g } = scope;
      const apart = g.reshape(query.apply(scope, x), [x.dim(0), heads, headSize]);
      const queries = filled(scope, rotateHeads(g, queryNorm.apply(scope, apart), place.tables(rotary)), cached);
      const [layer, [key, value]] =
        'of' in keys
          ? [keys.of, place.shared.get(nameOf(keys.of))!]
          : [place.layer, ownKeysAndValues(scope, x, place, { ...attention, keys })];
      const mixed = scope.attention(layer, queries, key, value, form);
      const narrow = g.slice(g.reshape(mixed, [x.dim(0), heads, cached.headSize]), 2, 0, headSize);
      return output.apply(scope, g.reshape(narrow, [x.dim(0), heads * headSize]));
    },
  };
}

const nameOf = (layer: number) => `layer ${layer}`;

function ownKeysAndValues(
  scope: ForwardScope,
  x: Value,
  place: Place,
  { keys, rotary, cached, keyValueHeads, headSize }: MixedAttention & { keys: OwnKeys },
): readonly [Value, Value] {
  const { g } = scope;
  const perHead = (layer: Layer) => g.reshape(layer.apply(scope, x), [x.dim(0), keyValueHeads, headSize]);
  const projected = perHead(keys.key);
  const turned = rotateHeads(g, keys.keyNorm.apply(scope, projected), place.tables(rotary));
  const values = keys.valueNorm.apply(scope, keys.value ? perHead(keys.value) : projected);
  const both = [filled(scope, turned, cached), filled(scope, values, cached)] as const;
  place.shared.set(nameOf(place.layer), both);
  both.forEach((rows) => scope.readByLaterBlocks(rows));
  return both;
}

/** Brings heads [rows, heads, size] to the KV cache's sizes, [rows, heads · size], by zeros and repeated key and value heads. */
function filled({ g }: ForwardScope, x: Value, { heads, keyValueHeads, headSize }: HeadSizes): Value {
  const [rows, count, size] = x.shape as [number | string, number, number];
  const wide = g.pad(x, 2, 0, headSize - size);
  if (count === heads) return g.reshape(wide, [rows, heads * headSize]);
  const times = keyValueHeads / count;
  const repeated = g.expand(g.reshape(wide, [rows, count, 1, headSize]), [rows, count, times, headSize]);
  return g.reshape(repeated, [rows, keyValueHeads * headSize]);
}

function leastCommonMultiple(a: number, b: number): number {
  let multiple = a;
  while (multiple % b !== 0) multiple += a;
  return multiple;
}
