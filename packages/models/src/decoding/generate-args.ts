// The arguments and the results of a call of the token loop: plain values, which cross to the device's worker.
import type { StateSpec } from '../architecture/recurrence.js';
import type { CacheGeometry } from './cache-rows.js';
import type { LogitBias, RuledText, TopLogprobs } from './logit-inputs.js';
import type { RowSampling } from './sampling-options.js';
import type { PrefixCopy } from './shared-prefixes.js';

export interface GenerateArgs {
  geometry: CacheGeometry;
  /** [slots] positions in use of every row. */
  lengths: Int32Array;
  /** Rows to exchange first, so that those which take part come before the rest. */
  swaps: readonly (readonly [number, number])[];
  /** States of recurrent layers, and the rows (after the exchanges) that go back to their snapshots first. */
  recurrent?: { states: readonly StateSpec[]; restore: readonly number[] };
  /** Before anything else is fed: columns to copy between rows, and tokens that only some rows read before that (see shared-prefixes.ts). */
  shared?: readonly { feed: readonly Int32Array[]; copies: readonly PrefixCopy[] }[];
  /** New tokens of rows 0, 1, …; each has at least one. */
  feed: readonly Int32Array[];
  /** New tokens fed at a time: bounds the memory of a long prompt. */
  chunk: number;
  /** [fed rows · maxNewTokens, at least one a row] in [0, 1), those of one row in sequence; graphs that are greedy have no use for them. */
  uniforms: Float32Array;
  /** Temperature and top-p, if the graph has inputs for them. */
  temperature?: number;
  topP?: number;
  /** For a mixed sampler: how each utterance is sampled, and the vocabulary's size. */
  mixed?: { rows: readonly RowSampling[]; vocabSize: number };
  /** For a sampler with biases: for each utterance, tokens and what is added to their logits. */
  logitBias?: readonly LogitBias[];
  /** For a sampler with rules: those of each utterance. */
  ruled?: readonly RuledText[];
  /** For a sampler with masks: those of each utterance's next token, as in `tokenMaskInput`, and the vocabulary's size. */
  masked?: { masks: readonly (Uint32Array | null)[]; vocabSize: number };
  /** [fed rows] each utterance's adapter, for graphs that have adapters by row (see adapter-bank-graph.ts). */
  adapterPlaces?: Int32Array;
  /** 0: the new tokens are read, and nothing is sampled after them. */
  maxNewTokens: number;
  /** Those of each utterance. */
  terminatorIds: readonly (readonly number[])[];
  /** Last position that the model has an embedding for. */
  lastPosition: number;
  /** Which steps run the graph for any number of new tokens, which asks for the row that each one ends in. */
  takesLast: Readonly<Record<Step, boolean>>;
  /** How many capacities the rows of the cache may have, for which the graphs are made. */
  classes: 1 | 2;
  /** Sizes of a batch, first and last, with which it goes to `stepFew` (see weight-product.ts). */
  few: readonly (readonly [from: number, to: number])[];
}

export interface GeneratedRow {
  /** The tokens, with the terminator if the utterance ended by one. */
  tokens: number[];
  logprobs: number[];
  samplingLogprobs: number[];
  /** One a token, for a sampler with masks: among the tokens that could be chosen. */
  maskedLogprobs: number[];
  /** One a token, for a sampler with biases. */
  topLogprobs: TopLogprobs[];
  terminated: boolean;
}

export interface GenerateResult {
  /** The rows in the order of `feed`. */
  rows: GeneratedRow[];
  capacities: Int32Array;
  lengths: Int32Array;
  /** Exchanges made on top of those asked for, as rows left the batch. */
  swaps: [number, number][];
}

/** The steps of the loop, by the form of the graph. */
export type Step = 'stepFew' | 'stepMany';
export type Role = 'prefill' | Step;
