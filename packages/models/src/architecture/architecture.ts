// The interface between language models and the graphs that use them: an architecture lists its parameters and builds how
// hidden states and logits follow from token ids; training, scoring and decoding graphs supply the rest.
import type { Dim, GraphBuilder, Value } from '@bowyer/graph';
import type { AttentionForm } from '../layers/attention.js';
import type { ParameterSpec } from './parameter-spec.js';
import type { StateSpec } from './recurrence.js';

/** The states that recurrent layers keep of earlier tokens, by their names in `CausalArchitecture.states`. */
export interface Recurrence {
  /** Returns the state that earlier tokens left, [batch, ...shape]; undefined where every sequence begins with these tokens. */
  before(name: string): Value | undefined;
  /** Keeps the state that the next tokens begin with; without effect where no token follows. */
  after(name: string, state: Value): void;
  /** [batch] int64: how many of a row's tokens are real, the rest being padding on the right that must not change its states; all where undefined. */
  readonly counts?: Value;
  /** Tokens that a layer takes at a time where it computes in chunks. */
  readonly chunk: number;
}

/** The operations that a graph offers to the architecture that is built into it. */
export interface ForwardScope {
  readonly g: GraphBuilder;
  readonly batch: Dim;
  readonly tokens: Dim;
  /** Tokens that every sequence begins with, which are computed once: their flat rows come before the others. None where undefined. */
  readonly prefix?: Dim;
  /** Returns the named parameter as an input of the graph. */
  parameter(name: string): Value;
  /** Computes x · Wᵀ + b over rows [rows, in] → [rows, out]; weight and bias by name. */
  linear(x: Value, weight: string, bias?: string): Value;
  /** Computes the same for one expert's weight, which has no adapter: transformers keeps those of all experts in one 3-D parameter. */
  expertLinear(x: Value, weight: string, bias?: string): Value;
  /**
   * Computes causal self-attention of one layer over flat rows: queries [batch · tokens, heads · headSize], keys and values [batch ·
   * tokens, keyValueHeads · headSize]; the result is shaped like the queries. The scope decides where the keys and values of earlier
   * tokens come from.
   */
  attention(layer: number, query: Value, key: Value, value: Value, form: AttentionForm): Value;
  /** Zeroes elements with the given probability and scales the rest; returns x itself where dropout is off. */
  dropout(x: Value, probability: number): Value;
  readonly recurrence: Recurrence;
  /** Declares that x is all that passes from one block to the next. Called before the first block and after each one. */
  blockBoundary(x: Value): void;
  /** Declares that later blocks read x besides what passes from block to block. */
  readByLaterBlocks(x: Value): void;
}

/** Says how long texts may be, for messages about those that are too long. */
export const contextLimit = ({ contextLength, contextReason }: CausalArchitecture): string =>
  `the model's context length is ${contextLength}${contextReason === undefined ? '' : ` (${contextReason})`}`;

/** A decoder-only language model, as decoder.ts makes it from what a family's file describes. */
export interface CausalArchitecture {
  readonly vocabSize: number;
  /** Longest context in tokens that the positions allow. */
  readonly contextLength: number;
  /** Why it is shorter than config.json allows, where it is. */
  readonly contextReason?: string;
  readonly layers: number;
  readonly heads: number;
  /** Heads of keys and values, a divisor of `heads`; fewer than those is grouped-query attention. */
  readonly keyValueHeads: number;
  readonly headSize: number;
  /** Layers that call `attention`, whose keys and values are cached; all where undefined. */
  readonly attentionLayers?: readonly number[];
  /** The states that the other layers keep of earlier tokens; none where undefined. */
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
  /** Applies the final norm and the LM head to any choice of rows: [rows, width] → [rows, vocabulary]. */
  logits(scope: ForwardScope, residual: Value): Value;
  /** Contents of config.json. */
  config: Readonly<Record<string, unknown>>;
}
