// Reads, in a decoding step, the keys and values of earlier tokens: from arrays of the host, which it only reads while the new ones are
// outputs, or from a GPU's buffers, into which it writes the new ones before it reads them.
import { defineOp, type GraphBuilder, type Value } from '@bowyer/graph';
import type { AttentionOptions, EncoderDecoder } from './encoder-decoder.js';
import { attend, attendCached, causalTerm, mergeHeads, splitHeads, type HeadShape } from './multi-head-attention.js';

export const selfName = (kind: 'key' | 'value', layer: number) => `${kind}.${layer}`;

/** Returns the name of the output that is the cache with the new token. */
export const extendedName = (cacheName: string) => `extended.${cacheName}`;

export type Residency = 'host' | 'gpu';

/** Gives a step the keys and values of earlier tokens. */
interface StepCache {
  /** int64 [keys] the positions of all tokens that the new token may see. */
  keyPositions: Value;
  /** Computes attention of one layer over rows [batch, heads · headSize]. */
  attend(layer: number, queryKeyValue: readonly [Value, Value, Value], options: AttentionOptions): Value;
  /** Adds the outputs. */
  finish(): void;
}

/** Replaces the values at given indices. Unlike the builder's scatters it has no gradient. */
const ScatterND = defineOp('ScatterND', { infer: ({ inputs: [data] }) => [{ dtype: data.dtype, shape: data.shape }] });

/** Declares the inputs key.N and value.N [batch, heads, capacity, headSize] of every layer. */
function cacheInputs(g: GraphBuilder, { decoderLayers, heads, headSize }: EncoderDecoder) {
  const cached = (kind: 'key' | 'value', layer: number) =>
    g.input(selfName(kind, layer), 'float32', ['batch', heads, 'capacity', headSize]);
  return Array.from({ length: decoderLayers }, (_, layer) => ({
    key: cached('key', layer),
    value: cached('value', layer),
  }));
}

/**
 * Reads a cache on the host, whose columns before `position` are valid. Output: fresh [2 · layers, batch, heads, 1, headSize], key and
 * value of each layer in turn.
 *
 * @param position int64 [1]
 */
export function hostStepCache(g: GraphBuilder, architecture: EncoderDecoder, position: Value): StepCache {
  const caches = cacheInputs(g, architecture);
  const shape: HeadShape = { batch: 'batch', ...architecture };
  const columns = g.range('capacity');
  // Columns from `position` on are empty. The new token itself comes after all columns, and is always seen.
  const mask = g.concat([causalTerm(g, g.sub(position, 1), columns), g.zeros([1, 1, 1, 1])], -1);
  const fresh: Value[] = [];
  return {
    keyPositions: g.concat([columns, position], 0),
    attend: (layer, queryKeyValue, { scale, bias }) => {
      const [q, k, v] = queryKeyValue.map((x) => splitHeads(g, x, shape, 1));
      fresh.push(k, v);
      return mergeHeads(g, attendCached(g, [q, k, v], caches[layer], { scale, terms: [mask, bias] }), shape);
    },
    finish: () => {
      const rows = fresh.map((x) => g.unsqueeze(x, 0));
      g.output('fresh', g.concat(rows, 0));
    },
  };
}

/**
 * Reads and extends a cache on the GPU. Input: write_at int64 [batch · heads, 3], row, head and column of each new key and value.
 * Outputs: extended.key.N and extended.value.N, which replace the inputs.
 *
 * @param position int64 [1]
 */
export function residentStepCache(g: GraphBuilder, architecture: EncoderDecoder, position: Value): StepCache {
  const caches = cacheInputs(g, architecture);
  const { headSize } = architecture;
  const shape: HeadShape = { batch: 'batch', ...architecture };
  const writeAt = g.input('write_at', 'int64', ['writes', 3]);
  const columns = g.range('capacity');
  const mask = causalTerm(g, position, columns);
  const written = (cache: Value, fresh: Value) => {
    const [extended] = g.apply(ScatterND, [cache, writeAt, g.reshape(fresh, [-1, headSize])]);
    g.output(extendedName(cache.name), extended);
    return extended;
  };
  return {
    keyPositions: columns,
    attend: (layer, [query, key, value], { scale, bias }) => {
      const q = splitHeads(g, query, shape, 1);
      const [k, v] = [written(caches[layer].key, key), written(caches[layer].value, value)];
      return mergeHeads(g, attend(g, [q, k, v], { scale, terms: [mask, bias] }), shape);
    },
    finish: () => undefined,
  };
}
