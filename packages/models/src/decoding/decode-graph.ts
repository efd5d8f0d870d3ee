// Builds the decoding graph for a KV cache on the host, which reads new tokens and samples the next ones. The keys and values of
// earlier tokens are inputs only, so that the cache is not copied by the graph; those of the new tokens are a small output.
import { GraphBuilder, type Value } from '@bowyer/graph';
import type { CausalArchitecture, Recurrence } from '../architecture/architecture.js';
import { cachedAttention, type CachedKeysAndValues, type SharedKeysAndValues } from '../layers/cached-attention.js';
import { GraphScope } from '../decoder/forward-scope.js';
import type { IntegerWeights } from '../quantization/integer-decoding.js';
import type { QuantizedWeight } from '../quantization/quantized-weight.js';
import { AdapterBankGraph, placesOfTokens } from '../lora/adapter-bank-graph.js';
import type { BankLayout } from '../lora/adapter-bank-layout.js';
import { AdapterGraph } from '../lora/adapter-graph.js';
import type { AdapterLayout } from '../lora/adapter-layout.js';
import {
  CLASS_ROWS,
  inClass,
  keyName,
  nextStateName,
  SHARED_BEGINS,
  SHARED_LENGTHS,
  sharedName,
  stateName,
  valueName,
} from './decode-names.js';
import { sampleTokens, type Sampler } from './sampling.js';
import { maskedLogits } from '../layers/vocabulary-mask.js';
import type { OperandOrder } from '../layers/weight-product.js';

export interface DecodeGraphOptions {
  sampler: Sampler;
  operandOrder: OperandOrder;
  /** The number of new tokens per row: one, or any number, padded on the right. */
  tokens: 1 | 'tokens';
  /** The number of different capacities that rows of the cache may have (see capacity-classes.ts); 1 if omitted. */
  classes?: 1 | 2;
  /** Whether rows may have their first positions in common (see cache-rows.ts); false if omitted. */
  shares?: boolean;
  maskedTokenIds: readonly number[];
  /** Weights in 4 or 8 bits that matrix products read, by name; these products round activations to 8 bits. */
  quantized?: ReadonlyMap<string, QuantizedWeight>;
  /** Weights that are multiplied as integers; they are separate inputs of the graph. */
  integers?: IntegerWeights;
  /** Weights read from an input of their own, bound as a constant so that ONNX Runtime packs it (see forward-scope.ts). */
  packed?: ReadonlySet<string>;
  adapters?: AdapterLayout;
  /** A bank of adapters, of which the input `adapter_places` [batch] selects one per row; excludes `adapters`. */
  bank?: BankLayout;
}

/**
 * Builds the decoding graph, which reads new tokens of all rows of a batch and samples a token after them.
 *
 * Inputs: ids and positions [batch, tokens]; last [sampled], the rows of the flattened [batch · tokens] after which a token is
 * sampled (only with `tokens` = 'tokens'; otherwise a token is sampled after every row, and [sampled] is [batch] below);
 * cache_mask [batch, 1, 1, capacity]; key.N and value.N [batch, keyValueHeads, capacity, headSize] of attention layers;
 * state.NAME [batch, …] of recurrent layers, and with them (only with 'tokens') counts [batch], the number of real tokens of each
 * row; and the sampler's inputs: uniforms [sampled], temperature, top_p. With two capacities, class_rows [2] has the number of
 * rows with the first capacity and of the following rows with the second; cache_mask, key.N and value.N belong to the first,
 * class1.cache_mask, class1.key.N and class1.value.N to the second. With `shares`, shared.key.N and shared.value.N [1,
 * keyValueHeads, shared_positions, headSize] are the beginnings of rows: shared_lengths [batch] positions from shared_begins [batch] on
 * come before each row's own cache.
 *
 * Outputs: tokens [sampled] int32; logprobs and sampling_logprobs [sampled]; fresh [2 · layers, batch, keyValueHeads, tokens,
 * headSize], new keys and values of each attention layer in turn; next.NAME, states after each row's last real token.
 */
export function decodeGraph(architecture: CausalArchitecture, options: DecodeGraphOptions): GraphBuilder {
  const { sampler, operandOrder, tokens } = options;
  const g = new GraphBuilder('decode');
  const ids = g.input('ids', 'int32', ['batch', tokens]);
  const positions = g.input('positions', 'int32', ['batch', tokens]);
  const { heads, keyValueHeads, headSize } = architecture;
  const layout = { batch: 'batch', tokens, heads, keyValueHeads, headSize };
  const cacheOf = cacheInputs(g, architecture, options.classes ?? 1);
  const sharedOf = options.shares ? sharedInputs(g, architecture) : () => undefined;
  // The new keys and values by layer. They are kept since several layers may attend to those of one layer.
  const fresh = new Map<number, Value[]>();
  const bank = options.bank && new AdapterBankGraph(g, options.bank, placesOfTokens(g, tokens));
  const scope = new GraphScope(g, architecture, {
    batch: 'batch',
    tokens,
    operandOrder,
    quantized: options.quantized,
    integers: options.integers,
    packed: options.packed,
    adapters: bank ?? (options.adapters && new AdapterGraph(g, options.adapters)),
    accuracyLevel: 4,
    recurrence: cachedStates(g, architecture, tokens),
    attention: (layer, queryKeyValue, form) => {
      const cache = { classes: cacheOf(layer), shared: sharedOf(layer), positions };
      const { mixed, key, value } = cachedAttention(g, queryKeyValue, cache, layout, form);
      if (!fresh.has(layer)) fresh.set(layer, [key, value]);
      return mixed;
    },
  });
  const residual = architecture.residual(scope, g.reshape(ids, [-1]), g.reshape(positions, [-1]));
  const last = lastRows(g, residual, tokens === 1 ? null : g.input('last', 'int32', ['sampled']), bank);
  const logits = maskedLogits(g, architecture.logits(scope, last), options.maskedTokenIds);

  const sampled = sampleTokens(g, logits, sampler);
  g.output('tokens', g.cast(sampled.tokens, 'int32'));
  g.output('logprobs', sampled.logprobs);
  g.output('sampling_logprobs', sampled.samplingLogprobs);
  if (fresh.size > 0) {
    const stacked = [...fresh.values()].flat().map((x) => g.unsqueeze(x, 0));
    g.output('fresh', g.concat(stacked, 0));
  }
  return g;
}

function cacheInputs(
  g: GraphBuilder,
  { keyValueHeads, headSize }: CausalArchitecture,
  classes: 1 | 2,
): (layer: number) => CachedKeysAndValues[] {
  const rows = classes === 1 ? ['batch'] : g.partition('batch', g.input(CLASS_ROWS, 'int64', [classes]));
  const capacities = rows.map((_, i) => inClass('capacity', i));
  const masks = rows.map((own, i) => g.input(inClass('cache_mask', i), 'float32', [own, 1, 1, capacities[i]]));
  const tensor = (name: string, i: number) =>
    g.inputs.get(name) ?? g.input(name, 'float32', [rows[i], keyValueHeads, capacities[i], headSize]);
  return (layer) =>
    masks.map((mask, i) => {
      const [key, value] = [keyName, valueName].map((name) => tensor(inClass(name(layer), i), i));
      return { key, value, mask };
    });
}

function sharedInputs(
  g: GraphBuilder,
  { keyValueHeads, headSize }: CausalArchitecture,
): (layer: number) => SharedKeysAndValues {
  const [begins, lengths] = [SHARED_BEGINS, SHARED_LENGTHS].map((name) => g.input(name, 'int32', ['batch']));
  const tensor = (name: string) =>
    g.inputs.get(name) ?? g.input(name, 'float32', [1, keyValueHeads, 'shared_positions', headSize]);
  return (layer) => {
    const [key, value] = [keyName, valueName].map((name) => tensor(sharedName(name(layer))));
    return { key, value, begins, lengths };
  };
}

/** Returns the rows of the residual stream after which a token is sampled: those with the indices `rows`; all if null. */
export function lastRows(g: GraphBuilder, residual: Value, rows: Value | null, bank?: AdapterBankGraph): Value {
  if (rows === null) return residual;
  bank?.select(rows);
  return g.gather(residual, rows, 0);
}

/** The chunk size of recurrent layers, small since the graph for any number of tokens also runs with one. */
const DECODING_CHUNK = 16;

function cachedStates(g: GraphBuilder, { states = [] }: CausalArchitecture, tokens: 1 | 'tokens'): Recurrence {
  const inputs = new Map(
    states.map(({ name, shape }) => [name, g.input(stateName(name), 'float32', ['batch', ...shape])]),
  );
  const counts = tokens !== 1 && states.length > 0 ? g.cast(g.input('counts', 'int32', ['batch']), 'int64') : undefined;
  return {
    before: (name) => inputs.get(name)!,
    after: (name, state) => g.output(nextStateName(name), state),
    counts,
    chunk: DECODING_CHUNK,
  };
}
