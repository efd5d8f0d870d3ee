// The interface between encoder-decoders and the graphs that use them: an architecture lists its parameters, and builds how the
// source is encoded and how the target follows from it; encoding, stepping and scoring graphs supply the rest.
import type { Dim, GraphBuilder, Value } from '@bowyer/graph';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import type { HostTensors } from '@bowyer/checkpoints';
import type { TiedPair } from './tied-tables.js';

export interface AttentionOptions {
  /** The factor of Q Kᵀ: 1/√headSize, or 1 in T5. */
  scale: number;
  /** Added to the scores: [1, heads, tokens, keys]. */
  bias?: Value;
}

/** The operations that a graph offers to either half. Hidden states are flat rows [batch · tokens, width]. */
export interface SequenceScope {
  readonly g: GraphBuilder;
  readonly batch: Dim;
  readonly tokens: Dim;
  /** int64 [tokens] places of these tokens in their sequence, the same in every row. */
  readonly positions: Value;
  /** int64 [keys] places of all that self-attention may look at. */
  readonly keyPositions: Value;
  /** Returns the named parameter as an input of the graph. */
  parameter(name: string): Value;
  /** Computes x · Wᵀ + b over rows [rows, in] → [rows, out]; weight and bias by name. */
  linear(x: Value, weight: string, bias?: string): Value;
  /**
   * Computes self-attention of one layer; all four are rows [batch · tokens, heads · headSize]. In the encoder every token sees every
   * other, in the decoder those before it; the scope decides where keys and values of earlier tokens come from.
   */
  selfAttention(layer: number, query: Value, key: Value, value: Value, options: AttentionOptions): Value;
}

export interface DecoderScope extends SequenceScope {
  /** Computes attention to the source, whose keys and values `crossKeyValue` gave for this layer. */
  crossAttention(layer: number, query: Value, options: AttentionOptions): Value;
}

/** An encoder-decoder transformer. One file per architecture implements this (`bart.ts`, `t5.ts`). */
export interface EncoderDecoder {
  /** The vocabularies of targets and of sources. */
  readonly vocabSize: number;
  readonly sourceVocabSize: number;
  readonly decoderLayers: number;
  readonly encoderHeads: number;
  /** Heads of the decoder, in self-attention and towards the source alike. */
  readonly heads: number;
  readonly headSize: number;
  /** Most tokens of a source and of a target; infinite where positions are relative. */
  readonly sourceLimit: number;
  readonly targetLimit: number;
  readonly parameters: readonly ParameterSpec[];
  /** The special tokens of the class in Hugging Face's library, where no file names others. */
  readonly specialTokens: SpecialTokenDefaults;
  /** Tables that a file may have beside those that they are tied to. */
  readonly tiedTables: readonly TiedPair[];
  /** Gives a checkpoint's tensors the names of `parameters`, and adds what a file need not have. */
  fromFile(tensors: HostTensors): HostTensors;
  /** Computes the last hidden states of the source. @param ids [batch, tokens] → rows [batch · tokens, width] */
  encode(scope: SequenceScope, ids: Value): Value;
  /** Computes the keys and values that a decoder layer takes from the encoded source: rows [batch · tokens, heads · headSize] each. */
  crossKeyValue(
    scope: Pick<SequenceScope, 'g' | 'parameter' | 'linear'>,
    layer: number,
    encoded: Value,
  ): [Value, Value];
  /** Computes the last hidden states of the target. @param ids [batch, tokens] → rows [batch · tokens, width] */
  decode(scope: DecoderScope, ids: Value): Value;
  /** Applies the LM head to any choice of rows: [rows, width] → [rows, vocabulary]. */
  logits(scope: Pick<SequenceScope, 'g' | 'parameter' | 'linear'>, hidden: Value): Value;
  /** Contents of config.json. */
  readonly config: Readonly<Record<string, unknown>>;
}

export interface SpecialTokenDefaults {
  decoderStart: number;
  eos: number;
  pad: number;
  forcedEos: number | null;
}
