// Declares the interface between encoder-decoders and the graphs that use them: an architecture lists its parameters, and builds the
// encoder and the decoder; graphs for encoding, decoding steps and scoring supply the rest.
import type { Dim, GraphBuilder, Value } from '@bowyer/graph';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import type { HostTensors } from '@bowyer/checkpoints';
import type { TiedPair } from './tied-tables.js';

export interface AttentionOptions {
  /** The factor of Q Kᵀ: 1/√headSize, or 1 in T5. */
  scale: number;
  /** [1, heads, tokens, keys] numbers that are added to the scores. */
  bias?: Value;
}

/** Offers encoder and decoder the operations of a graph. Hidden states have the shape [batch · tokens, width]. */
export interface SequenceScope {
  readonly g: GraphBuilder;
  readonly batch: Dim;
  readonly tokens: Dim;
  /** int64 [tokens] the positions of these tokens, the same for every row. */
  readonly positions: Value;
  /** int64 [keys] the positions of all tokens that self-attention may see. */
  readonly keyPositions: Value;
  /** Returns the named parameter as an input of the graph. */
  parameter(name: string): Value;
  /** Computes x · Wᵀ + b over rows [rows, in] → [rows, out]; weight and bias by name. */
  linear(x: Value, weight: string, bias?: string): Value;
  /**
   * Computes self-attention of one layer; all arguments and the result are rows [batch · tokens, heads · headSize]. In the encoder
   * every token sees all others, in the decoder the earlier ones; the scope decides where earlier keys and values come from.
   */
  selfAttention(layer: number, query: Value, key: Value, value: Value, options: AttentionOptions): Value;
}

/** Offers the decoder's operations, in addition to those of encoder and decoder. */
export interface DecoderScope extends SequenceScope {
  /** Computes cross-attention to the source, with the keys and values from this layer's `crossKeyValue`. */
  crossAttention(layer: number, query: Value, options: AttentionOptions): Value;
}

/** An encoder-decoder transformer. One file per architecture implements this (`bart.ts`, `t5.ts`). */
export interface EncoderDecoder {
  /** The sizes of the vocabularies of targets and of sources. */
  readonly vocabSize: number;
  readonly sourceVocabSize: number;
  readonly decoderLayers: number;
  readonly encoderHeads: number;
  /** The number of the decoder's heads, in self-attention and in cross-attention. */
  readonly heads: number;
  readonly headSize: number;
  /** The most tokens of a source and of a target; infinite for relative positions. */
  readonly sourceLimit: number;
  readonly targetLimit: number;
  readonly parameters: readonly ParameterSpec[];
  /** The default special tokens of the class in transformers, for models whose files name none. */
  readonly specialTokens: SpecialTokenDefaults;
  /** The pairs of word tables that share their weights unless a checkpoint has both. */
  readonly tiedTables: readonly TiedPair[];
  /** Renames a checkpoint's tensors to the names of `parameters`, and adds tensors that a checkpoint may omit. */
  fromFile(tensors: HostTensors): HostTensors;
  /** Computes the encoder's last hidden states, rows [batch · tokens, width], from ids [batch, tokens]. */
  encode(scope: SequenceScope, ids: Value): Value;
  /** Computes a layer's keys and values for cross-attention from the encoder's result, [batch · tokens, heads · headSize]. */
  crossKeyValue(
    scope: Pick<SequenceScope, 'g' | 'parameter' | 'linear'>,
    layer: number,
    encoded: Value,
  ): [Value, Value];
  /** Computes the decoder's last hidden states, rows [batch · tokens, width], from ids [batch, tokens]. */
  decode(scope: DecoderScope, ids: Value): Value;
  /** Applies the LM head to the given rows: [rows, width] → [rows, vocabulary]. */
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
