// Builds the attention of a decoder's layer: projections, norms of queries and keys, rotary embedding, and the output projection.
import type { GraphBuilder, Value } from '@bowyer/graph';
import type { ForwardScope } from '../architecture/architecture.js';
import type { AttentionForm } from '../layers/attention.js';
import { rotateHeads } from '../layers/rotary-embedding.js';
import type { RotaryFrequencies } from '../layers/rotary-frequencies.js';
import type { KeyConvolution } from './key-convolution.js';
import type { Layer, Part, Place } from './parts.js';

/** The number and size of attention's heads; `keyValueHeads` divides `heads`. */
export interface HeadSizes {
  heads: number;
  keyValueHeads: number;
  headSize: number;
}

/**
 * The layers that compute queries, keys and values: one layer for each; or a joint layer, whose outputs are either all queries,
 * all keys and all values ('parts'), or for each key and value head the queries that share it, its key and its value ('heads').
 */
export type Projections =
  | { kind: 'separate'; query: Layer; key: Layer; value: Layer }
  | { kind: 'parts' | 'heads'; joint: Layer };

/** Norms of queries and keys before rotary embedding: over each head by itself, or over all heads together. */
export interface QueryKeyNorms {
  over: 'head' | 'projection';
  query: Layer;
  key: Layer;
}

export interface SelfAttention extends HeadSizes {
  projections: Projections;
  output: Layer;
  norms?: QueryKeyNorms;
  /** A convolution of the keys, which is applied before norms and rotary embedding. */
  convolution?: KeyConvolution;
  /** The frequencies of rotary embedding; if undefined, queries and keys are not rotated. */
  rotary?: RotaryFrequencies;
  /** Computes a factor of the rotated queries that depends on their positions, [rows, 1] or [rows, heads · headSize]. */
  queryFactor?: (scope: ForwardScope, place: Place) => Value;
  form: AttentionForm;
  /** [heads, positions] numbers that are added to the attention scores of the key at each position, such as ALiBi's biases. */
  positionBiases?: { table: Float32Array; positions: number };
  /** The name of a parameter [heads] with attention sinks: scores of a position without a value (see AttentionForm). */
  sinks?: string;
  /**
   * Changes the result of attention (`mixed`) before the output projection, e.g. by a gate computed from the attention's input x;
   * argument and result are [rows, heads · headSize].
   */
  gate?: (scope: ForwardScope, mixed: Value, x: Value) => Value;
}

export function selfAttention(attention: SelfAttention): Part {
  const { projections, output, norms, convolution, rotary, queryFactor, gate, sinks } = attention;
  const inputs =
    projections.kind === 'separate' ? [projections.query, projections.key, projections.value] : [projections.joint];
  return {
    parameters: [
      ...[...inputs, output, norms?.query, norms?.key, convolution].flatMap((layer) => layer?.parameters ?? []),
      ...(sinks ? [{ name: sinks, shape: [attention.heads], init: { kind: 'zeros' } as const }] : []),
    ],
    rotary,
    ...(convolution && { states: convolution.states, attends: true }),
    apply(scope, x, place) {
      const [query, key, value] = project(scope, x, attention);
      const turn = (rows: Value, heads: number, norm?: Layer) =>
        normedAndRotated(scope, rows, { ...attention, heads, norm, place });
      const read = convolution ? convolution.apply(scope, key) : key;
      const keys = turn(read, attention.keyValueHeads, norms?.key);
      const turned = turn(query, attention.heads, norms?.query);
      const queries = queryFactor ? scope.g.mul(turned, queryFactor(scope, place)) : turned;
      const mixed = scope.attention(place.layer, queries, keys, value, completeForm(scope, attention));
      return output.apply(scope, gate ? gate(scope, mixed, x) : mixed);
    },
  };
}

function completeForm(scope: ForwardScope, { form, sinks, positionBiases, heads }: SelfAttention): AttentionForm {
  return {
    ...form,
    ...(sinks && { sinks: scope.parameter(sinks) }),
    ...(positionBiases && {
      positionBiases: sharedConstant(scope.g, positionBiases.table, [heads, positionBiases.positions]),
    }),
  };
}

const constants = new WeakMap<GraphBuilder, Map<Float32Array, Value>>();

/** Returns the graph's constant for an array of numbers; layers that use the same array share one constant. */
function sharedConstant(g: GraphBuilder, data: Float32Array, shape: number[]): Value {
  const known = constants.get(g) ?? new Map<Float32Array, Value>();
  constants.set(g, known);
  if (!known.has(data)) known.set(data, g.constant(data, shape));
  return known.get(data)!;
}

/** Computes queries, keys and values as flat rows [rows, heads · headSize]. */
function project(scope: ForwardScope, x: Value, attention: SelfAttention): [Value, Value, Value] {
  const { projections, heads, keyValueHeads, headSize } = attention;
  if (projections.kind === 'separate') {
    const { query, key, value } = projections;
    return [query.apply(scope, x), key.apply(scope, x), value.apply(scope, x)];
  }
  const { g } = scope;
  const joint = projections.joint.apply(scope, x);
  const [queries, keys] = [heads * headSize, keyValueHeads * headSize];
  if (projections.kind === 'parts') return g.split(joint, 1, [queries, keys, keys]) as [Value, Value, Value];
  const perHead = g.reshape(joint, [x.dim(0), keyValueHeads, heads / keyValueHeads + 2, headSize]);
  const parts = g.split(perHead, 2, [heads / keyValueHeads, 1, 1]);
  return parts.map((part, i) => g.reshape(part, [x.dim(0), i === 0 ? queries : keys])) as [Value, Value, Value];
}

/** Applies norms and rotary embedding to queries or keys, [rows, heads · headSize]. */
function normedAndRotated(
  scope: ForwardScope,
  rows: Value,
  { heads, headSize, norms, norm, rotary, place }: SelfAttention & { norm?: Layer; place: Place },
): Value {
  const { g } = scope;
  const whole = norm && norms?.over === 'projection' ? norm.apply(scope, rows) : rows;
  const normsHeads = norm && norms?.over === 'head';
  if (!normsHeads && !rotary) return whole;
  let apart = g.reshape(whole, [rows.dim(0), heads, headSize]);
  if (normsHeads) apart = norm.apply(scope, apart);
  if (rotary) apart = rotateHeads(g, apart, place.tables(rotary));
  return g.reshape(apart, rows.shape);
}
