// Declares the parts from which decoders are built, such as attention and feed-forward layers: each part lists its parameters and
// builds the computation from rows to rows. Also builds linear layers and norms.
import type { Value } from '@bowyer/graph';
import type { ForwardScope } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import type { StateSpec } from '../architecture/recurrence.js';
import { rmsNormalization } from '../layers/rms-normalization.js';
import type { RotaryTables } from '../layers/rotary-embedding.js';
import type { RotaryFrequencies } from '../layers/rotary-frequencies.js';

/** Says for which layer and which positions a part is computed, and gives access to values that layers share. */
export interface Place {
  layer: number;
  /** [batch · tokens] int64 positions, or [tokens] where every row counts from 0. */
  positions: Value;
  tables(rotary: RotaryFrequencies): RotaryTables;
  /** Returns the layer's additional input (see `DecoderSpec.layerInputs`), [rows, size]. */
  layerInput?(): Value;
  /** The keys and values that attention of later layers reads too, by a name on which these layers agree. */
  shared: Map<string, readonly [key: Value, value: Value]>;
}

/** A part of a block that maps rows [rows, width] → [rows, width], such as attention or a feed-forward layer. */
export interface Part {
  readonly parameters: readonly ParameterSpec[];
  /** The rotary frequencies with which the part calls `place.tables`; undefined if it does not. */
  readonly rotary?: RotaryFrequencies;
  /** The states of a recurrent mixer; a mixer without states is attention, whose keys and values are cached. */
  readonly states?: readonly StateSpec[];
  /** Whether the part is attention that has recurrent states in addition to its keys and values. */
  readonly attends?: boolean;
  /** Whether the part is attention that reads the keys and values of an earlier layer and has none of its own in the KV cache. */
  readonly sharesCache?: boolean;
  apply(scope: ForwardScope, x: Value, place: Place): Value;
}

/** A linear layer or a norm, which maps rows [rows, in] → [rows, out]. */
export interface Layer {
  readonly parameters: readonly ParameterSpec[];
  apply(scope: ForwardScope, x: Value): Value;
}

interface LinearOptions {
  bias: boolean;
  /** The standard deviation of the weight's initial values. */
  standardDeviation: number;
  /** Whether checkpoints store the weight as [in, out] (GPT-2's Conv1D). */
  transposedInFile?: boolean;
}

/** Builds the linear layer x Wᵀ + b with the parameters `path.weight` and `path.bias`. */
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

/** rms: x / √(mean(x²) + ε) · w. rms-offset: 1 + w in place of w (Gemma). layer: (x − mean) / √(variance + ε) · w + b. */
type NormKind = 'rms' | 'rms-offset' | 'rms-without-weight' | 'layer' | 'layer-without-bias';

export interface NormOptions {
  kind: NormKind;
  epsilon: number;
}

/** Builds a norm over the last axis, which has `size` elements. */
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
 * Builds a layer norm without bias over the last axis of [rows, heads, size], with separate weights for each head.
 *
 * @param weights the name of one parameter [heads, size], or for each head the name of a parameter [size]
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
