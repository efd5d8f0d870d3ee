// Builds the decoding graph for a KV cache on a GPU, which the graph reads and extends; attention reads the cache alone.
// decode-graph.ts builds the graph for a cache on the host.
import { defineOp, GraphBuilder, multiplyDims, type Dim, type Precision, type Value } from '@bowyer/graph';
import type { CausalArchitecture } from '../architecture/architecture.js';
import {
  MASKED,
  mergeHeads,
  softcapped,
  softmaxWithSinks,
  splitHeads,
  splitQueries,
  withPositionBiases,
  type AttentionForm,
  type HeadLayout,
} from '../layers/attention.js';
import { lastRows, type DecodeGraphOptions } from './decode-graph.js';
import { keyName, valueName } from './decode-names.js';
import { GraphScope } from '../decoder/forward-scope.js';
import { AdapterBankGraph, placesOfTokens } from '../lora/adapter-bank-graph.js';
import { AdapterGraph } from '../lora/adapter-graph.js';
import { sampleTokens } from './sampling.js';
import { maskedLogits } from '../layers/vocabulary-mask.js';

/** Returns the name of the graph output that is the cache tensor `cacheName` with the new tokens. */
export const extendedName = (cacheName: string) => `extended.${cacheName}`;

/** Replaces the elements at given indices. Unlike the scatter operations of `GraphBuilder` it has no gradient. */
const ScatterND = defineOp('ScatterND', { infer: ({ inputs: [data] }) => [{ dtype: data.dtype, shape: data.shape }] });

/**
 * Builds the decoding graph for a cache on a GPU, which reads new tokens of all rows of a batch and samples a token after them.
 *
 * Inputs: ids and positions [batch, tokens]; columns [capacity], the numbers 0, 1, …; write_at [batch · heads · tokens, 3], the row,
 * head and column of each new key and value; last [batch] (only with `tokens` = 'tokens'), after which rows a token is sampled; key.N and
 * value.N [batch, keyValueHeads, capacity, headSize]; and the sampler's inputs.
 *
 * Outputs: tokens [batch] int32; logprobs and sampling_logprobs [batch]; extended.key.N and extended.value.N.
 *
 * @param options.storedType the type of the stored weights, keys and values
 */
export function residentDecodeGraph(
  architecture: CausalArchitecture,
  options: DecodeGraphOptions & { storedType: Precision },
): GraphBuilder {
  const { tokens, storedType } = options;
  const g = new GraphBuilder('decode_resident');
  const ids = g.input('ids', 'int32', ['batch', tokens]);
  const positions = g.input('positions', 'int32', ['batch', tokens]);
  const columns = g.input('columns', 'float32', ['capacity']);
  const writeAt = g.input('write_at', 'int64', ['writes', 3]);
  const { heads, keyValueHeads, headSize } = architecture;
  const layout = { batch: 'batch', tokens, heads, keyValueHeads, headSize };
  // The extended cache tensors by name. They are kept since several layers may attend to the keys and values of one layer.
  const known = new Map<string, Value>();
  const cached = (name: string, fresh: Value) => {
    if (!known.has(name)) known.set(name, extendedCache(name, fresh));
    return known.get(name)!;
  };
  const extendedCache = (name: string, fresh: Value) => {
    const cache = g.input(name, storedType, ['batch', keyValueHeads, 'capacity', headSize]);
    const rows = g.cast(g.reshape(splitHeads(g, fresh, layout), [-1, headSize]), storedType);
    const [extended] = g.apply(ScatterND, [cache, writeAt, rows]);
    g.output(extendedName(name), extended);
    return g.cast(extended, 'float32');
  };
  const bank = options.bank && new AdapterBankGraph(g, options.bank, placesOfTokens(g, tokens));
  const scope = new GraphScope(g, architecture, {
    batch: 'batch',
    tokens,
    operandOrder: options.operandOrder,
    accuracyLevel: 0,
    quantized: options.quantized,
    weightType: storedType,
    adapters: bank ?? (options.adapters && new AdapterGraph(g, options.adapters)),
    attention: (layer, [query, key, value], form) => {
      const [keys, values] = [cached(keyName(layer), key), cached(valueName(layer), value)];
      return attention(g, query, { keys, values, columns, positions }, layout, form);
    },
  });
  const residual = architecture.residual(scope, g.reshape(ids, [-1]), g.reshape(positions, [-1]));
  const last = lastRows(g, residual, tokens === 1 ? null : g.input('last', 'int32', ['batch']), bank);
  const sampled = sampleTokens(
    g,
    maskedLogits(g, architecture.logits(scope, last), options.maskedTokenIds),
    options.sampler,
  );
  g.output('tokens', g.cast(sampled.tokens, 'int32'));
  g.output('logprobs', sampled.logprobs);
  g.output('sampling_logprobs', sampled.samplingLogprobs);
  return g;
}

/**
 * Computes softmax(Q Kᵀ / √headSize + mask) V over the columns of the cache up to each query's own position. K is the left
 * operand of the first product, which saves transposing a copy of it.
 */
function attention(
  g: GraphBuilder,
  query: Value,
  { keys, values, columns, positions }: Record<'keys' | 'values' | 'columns' | 'positions', Value>,
  layout: HeadLayout,
  form: AttentionForm,
): Value {
  const { batch, tokens, heads, keyValueHeads, headSize } = layout;
  const { window, scale = 1 / Math.sqrt(headSize) } = form;
  const groups = heads / keyValueHeads;
  const q = g.mul(splitQueries(g, query, layout), scale);
  const rows = multiplyDims(groups, tokens);
  const products = swapped(g, g.matMul(keys, swapped(g, q, rows)), rows);
  const own = g.unsqueeze(g.cast(positions, 'float32'), 2);
  const windowed = window === undefined ? 0 : g.where(g.greater(columns, g.sub(own, window)), g.scalar(0), MASKED);
  const mask = g.unsqueeze(g.where(g.lessOrEqual(columns, own), windowed, MASKED), 1);
  const perGroup =
    groups === 1 ? mask : g.reshape(g.expand(mask, [batch, groups, tokens, 'capacity']), [batch, 1, rows, 'capacity']);
  const places = () => g.unsqueeze(columns, 0);
  const biased = withPositionBiases(g, softcapped(g, products, form), places, layout, form);
  const scores = g.add(biased, perGroup);
  return mergeHeads(g, g.matMul(softmaxWithSinks(g, scores, layout, form), values), layout);
}

/** Swaps the last two axes of a tensor, one of which has size `rows`; if `rows` is 1, the data is not moved. */
function swapped(g: GraphBuilder, x: Value, rows: Dim): Value {
  return rows === 1
    ? g.unsqueeze(g.squeeze(x, x.dim(-1) === 1 ? -1 : -2), x.dim(-1) === 1 ? 2 : 3)
    : g.transpose(x, [0, 1, 3, 2]);
}

/** Builds the graph that moves rows: `moved.NAME` has the rows of `NAME` [slots, headSize] that `index` [moved] lists. */
export function arrangeGraph(
  names: readonly string[],
  headSize: number,
  storedType: Precision = 'float32',
): GraphBuilder {
  const g = new GraphBuilder('arrange_cache');
  const index = g.input('index', 'int32', ['moved']);
  for (const name of names)
    g.output(`moved.${name}`, g.reshape(g.gather(g.input(name, storedType, ['slots', headSize]), index), [-1]));
  return g;
}
