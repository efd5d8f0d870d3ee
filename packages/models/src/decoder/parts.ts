// Declares the parts of a decoder, each of which lists its parameters and maps rows to rows, and builds linear layers and norms.
import type { Value } from '@bowyer/graph';
import type { ForwardScope } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import type { StateSpec } from '../architecture/recurrence.js';
import { rmsNormalization } from '../layers/rms-normalization.js';
import type { RotaryTables } from '../layers/rotary-embedding.js';
import type { RotaryFrequencies } from '../layers/rotary-frequencies.js';

/** The layer and the positions for which a part of a block is computed, and what layers share. */
export interface Place {
  layer: number;
  /** int64 [batch · tokens], or [tokens] where every row counts from 0. */
  positions: Value;
  tables(rotary: RotaryFrequencies): RotaryTables;
  /** Returns this layer's further input (see `DecoderSpec.layerInputs`): [rows, size]. */
  layerInput?(): Value;
  /** Keys and values that attention of later layers reads too, by a name that these layers agree on. */
  shared: Map<string, readonly [key: Value, value: Value]>;
}

/** Maps [rows, width] → [rows, width]: attention, a feed-forward layer, or a replacement of either. */
export interface Part {
  readonly parameters: readonly ParameterSpec[];
  /** The rotary frequencies, for a part that calls `place.tables`. */
  readonly rotary?: RotaryFrequencies;
  /** The states of a recurrent mixer; a mixer without states is attention, whose keys and values are cached. */
  readonly states?: readonly StateSpec[];
  /** Whether this is attention that has states beside its keys and values. */
  readonly attends?: boolean;
  /** Whether this is attention to the keys and values of an earlier layer, without its own in the cache. */
  readonly sharesCache?: boolean;
  apply(scope: ForwardScope, x: Value, place: Place): Value;
}

/** A linear layer or a norm: [rows, in] → [rows, out]. */
export interface Layer {
  readonly parameters: readonly ParameterSpec[];
  apply(scope: ForwardScope, x: Value): Value;
}

interface LinearOptions {
  bias: boolean;
  /** The standard deviation of the initial weight. */
  standardDeviation: number;
  /** Whether checkpoints have the weight as [in, out] (GPT-2's Conv1D). */
  transposedInFile?: boolean;
}

/** Builds x Wᵀ + b with the parameters `path.weight` and `path.bias`. */
export function linear(path: string, out: number, input: number, options: LinearOptions): Layer {
  const { bias, standardDeviation, transposedInFile } = options;
  const [weight, biasName] = [`${path}.weight`, bias ? `${path}.bias` : undefined];
  const init = { kind: 'normal', standardDeviation } as const;
  return {
    parameters: [
      { name: weight, shape: [out, input], init, ...(transposedInFile && { transposedInFile }) },
      ...(biasName ? [{ name: biasName, shape: [out], init: { kind: 'zeros' } as const }] : []),
    ],
    apply: (scope, x) => scope.linear(x, weight, biasName),
  };
}

/**
 * Names the kinds of norms. rms: x / √(mean(x²) + ε) · w. rms-offset: the same with 1 + w for w (Gemma). layer: (x − mean) /
 * √(variance + ε) · w + b. layer-without-bias: layer without b. rms-without-weight: rms without w.
 */
type NormKind = 'rms' | 'rms-offset' | 'rms-without-weight' | 'layer' | 'layer-without-bias';

export interface NormOptions {
  kind: NormKind;
  epsilon: number;
}

/** Builds a norm over the last axis, of `size` elements. */
export function norm(path: string, size: number, { kind, epsilon }: NormOptions): Layer {
  const [weight, bias] = [`${path}.weight`, `${path}.bias`];
  const hasBias = kind === 'layer';
  const start = kind === 'rms-offset' ? 'zeros' : 'ones';
  if (kind === 'rms-without-weight') {
    const ones = ({ g }: ForwardScope) => g.constant(new Float32Array(size).fill(1), [size]);
    return { parameters: [], apply: (scope, x) => rmsNormalization(scope.g, x, ones(scope), epsilon) };
  }
  return {
    parameters: [
      { name: weight, shape: [size], init: { kind: start } },
      ...(hasBias ? [{ name: bias, shape: [size], init: { kind: 'zeros' } as const }] : []),
    ],
    apply: (scope, x) => {
      const { g } = scope;
      const scale = scope.parameter(weight);
      if (kind === 'rms') return rmsNormalization(g, x, scale, epsilon);
      if (kind === 'rms-offset') return rmsNormalization(g, x, g.add(scale, 1), epsilon);
      return g.layerNormalization(x, scale, hasBias ? scope.parameter(bias) : undefined, { epsilon });
    },
  };
}

/**
 * Computes a layer norm without bias over the last axis of [rows, heads, size], with weights for each head.
 *
 * @param weights one parameter [heads, size], or the names of one [size] for each head
 */
export function normPerHead(weights: string | string[], size: number, epsilon: number, heads = weights.length): Layer {
  const init = { kind: 'ones' } as const;
  const parameters: ParameterSpec[] =
    typeof weights === 'string'
      ? [{ name: weights, shape: [heads, size], init }]
      : weights.map((name) => ({ name, shape: [size], init }));
  return {
    parameters,
    apply: (scope, x) => {
      const { g } = scope;
      const ones = g.constant(new Float32Array(size).fill(1), [size]);
      const scales = parameters.map(({ name }) => g.reshape(scope.parameter(name), [-1, size]));
      return g.mul(g.layerNormalization(x, ones, undefined, { epsilon }), g.concat(scales, 0));
    },
  };
}
