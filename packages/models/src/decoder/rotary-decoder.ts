// What decoders with rotary positions share: token embedding, blocks, final norm and LM head, and their parameters' specs.
import type { Value } from '@bowyer/graph';
import type { CausalArchitecture, ForwardScope } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import { rotaryTables, type RotaryTables } from '../layers/rotary-embedding.js';
import type { RotaryFrequencies } from '../layers/rotary-frequencies.js';

export interface RotaryDecoder {
  layers: number;
  rotary: RotaryFrequencies;
  /** Names of the token embedding and of the LM head's weight, which are the same where the two are tied. */
  embedding: string;
  head: string;
  /** Dropout probability of the embeddings. */
  embeddingDropout: number;
  /** One layer on the residual stream [batch · tokens, width]. */
  block: (scope: ForwardScope, layer: number, tables: RotaryTables, x: Value) => Value;
  finalNorm: (scope: ForwardScope, x: Value) => Value;
}

export function rotaryDecoder(decoder: RotaryDecoder): Pick<CausalArchitecture, 'residual' | 'logits'> {
  return {
    residual(scope, ids, positions) {
      const { g } = scope;
      const embedded = g.scope('embed', () => g.gather(scope.parameter(decoder.embedding), ids, 0));
      const tables = g.scope('rotary', () => rotaryTables(g, positions, decoder.rotary));
      let x = scope.dropout(embedded, decoder.embeddingDropout);
      scope.blockBoundary(x);
      for (let layer = 0; layer < decoder.layers; layer++) {
        x = g.scope(`layers.${layer}`, () => decoder.block(scope, layer, tables, x));
        scope.blockBoundary(x);
      }
      return x;
    },

    logits(scope, residual) {
      return scope.g.scope('head', () => scope.linear(decoder.finalNorm(scope, residual), decoder.head));
    },
  };
}

/** Makers of parameter specs: matrices are normal, scales are ones, biases are zeros. @param standardDeviation of matrices */
export function specMakers(standardDeviation: number) {
  const matrix = (name: string, out: number, input: number): ParameterSpec => ({
    name,
    shape: [out, input],
    init: { kind: 'normal', standardDeviation },
  });
  const scale = (name: string, size: number): ParameterSpec => ({ name, shape: [size], init: { kind: 'ones' } });
  const bias = (name: string, size: number): ParameterSpec => ({ name, shape: [size], init: { kind: 'zeros' } });
  const linear = (name: string, out: number, input: number, hasBias: boolean): ParameterSpec[] => [
    matrix(`${name}.weight`, out, input),
    ...(hasBias ? [bias(`${name}.bias`, out)] : []),
  ];
  return { matrix, scale, bias, linear };
}
