// Declares the interface between language models and the graphs that use them. An architecture lists its parameters and builds
// the part of a graph that computes hidden states and logits from token ids; the graphs for training, scoring and decoding supply
// attention, dropout and recurrent states (`ForwardScope`).
import type { Dim, GraphBuilder, Value } from '@bowyer/graph';
import type { AttentionForm } from '../layers/attention.js';
import type { ParameterSpec } from './parameter-spec.js';
import type { StateSpec } from './recurrence.js';

/** Passes the states of recurrent layers (`CausalArchitecture.states`) from one token to the next. */
export interface Recurrence {
  /** Returns the state after the tokens of earlier runs, [batch, ...shape]; undefined where the sequences begin in this graph. */
  before(name: string): Value | undefined;
  /** Stores the state after this graph's tokens for the next run; does nothing in graphs that never continue a sequence. */
  after(name: string, state: Value): void;
  /** [batch] int64: the number of real tokens of each row, all if undefined; padding on the right must not change the states. */
  readonly counts?: Value;
  /** The number of tokens per chunk, for recurrent layers that compute several tokens at once in chunks. */
  readonly chunk: number;
}

/** The graph values (int32) with which order-dependent layers find the preceding tokens in a tree of tokens (token-tree.ts). */
export type TreeSequences =
  | {
      /**
       * [tokens, reach] for each token the indices of the last `reach` tokens of its sequence up to and including the token; an
       * index before the first token of the sequence is the number of all tokens.
       */
      ends: Value;
    }
  | {
      /** [sequences, longest] the index in the tree of the token at each position of a sequence. */
      sequences: Value;
      /** [tokens] the index of each token in the flattened `sequences`, in one of the sequences that contain the token. */
      inSequences: Value;
    };

/** Offers the operations with which an architecture builds its part of a graph. */
export interface ForwardScope {
  readonly g: GraphBuilder;
  readonly batch: Dim;
  readonly tokens: Dim;
  /** Returns the sequences of a tree of tokens, or only the last `reach` tokens of each; undefined if the rows are not a tree. */
  readonly tree?: (reach?: number) => TreeSequences;
  /** Returns the parameter with the given name as an input of the graph. */
  parameter(name: string): Value;
  /** Computes x · Wᵀ + b for rows x, [rows, in] → [rows, out]; `weight` and `bias` are the names of the parameters W and b. */
  linear(x: Value, weight: string, bias?: string): Value;
  /**
   * Computes x · Wᵀ like `linear`, with the weight of one expert of a mixture. Adapters (LoRA) do not apply to it, since
   * transformers keeps the weights of all experts in one 3-D parameter.
   */
  expertLinear(x: Value, weight: string, bias?: string): Value;
  /**
   * Computes causal self-attention of one layer: queries [batch · tokens, heads · headSize], keys and values [batch · tokens,
   * keyValueHeads · headSize]; the result is shaped like the queries. The kind of graph decides where the keys and values of
   * earlier tokens come from, e.g. from a KV cache.
   */
  attention(layer: number, query: Value, key: Value, value: Value, form: AttentionForm): Value;
  /** Zeroes elements of x with the given probability and scales the remaining ones up; returns x itself where dropout is off. */
  dropout(x: Value, probability: number): Value;
  readonly recurrence: Recurrence;
  /** Declares, before the first and after each block, that only x passes to the next block (for gradient checkpointing). */
  blockBoundary(x: Value): void;
  /** Declares that later blocks read x too, although it does not pass from block to block. */
  readByLaterBlocks(x: Value): void;
}

/** Describes the model's context length, for error messages about texts that are too long. */
export const contextLimit = ({ contextLength, contextReason }: CausalArchitecture): string =>
  `the model's context length is ${contextLength}${contextReason === undefined ? '' : ` (${contextReason})`}`;

/** A decoder-only language model, as decoder.ts builds it from the description of its family. */
export interface CausalArchitecture {
  readonly vocabSize: number;
  /** The longest context, in tokens, for which the model has position encodings. */
  readonly contextLength: number;
  /** The reason why `contextLength` is shorter than config.json says; undefined if it is not. */
  readonly contextReason?: string;
  readonly layers: number;
  readonly heads: number;
  /** The number of heads of keys and values, a divisor of `heads`; fewer than `heads` means grouped-query attention. */
  readonly keyValueHeads: number;
  readonly headSize: number;
  /** The layers that call `attention` and whose keys and values are cached; all layers if undefined. */
  readonly attentionLayers?: readonly number[];
  readonly states?: readonly StateSpec[];
  readonly parameters: readonly ParameterSpec[];
  /**
   * Computes the residual stream after the last block.
   *
   * @param ids [batch · tokens] int64
   * @param positions int64, [batch · tokens], or [tokens] where every row counts from 0
   * @returns [batch · tokens, width]
   */
  residual(scope: ForwardScope, ids: Value, positions: Value): Value;
  /** Applies the final norm and the LM head to the given rows: [rows, width] → [rows, vocabulary]. */
  logits(scope: ForwardScope, residual: Value): Value;
  /** The contents of the model's config.json. */
  config: Readonly<Record<string, unknown>>;
}
