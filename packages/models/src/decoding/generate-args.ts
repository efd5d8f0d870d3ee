// Declares the arguments and results of a call of the token loop: plain values, which are sent to the device's worker thread.
import type { StateSpec } from '../architecture/recurrence.js';
import type { CacheGeometry, SharedPositions } from './cache-rows.js';
import type { LogitBias, RuledText, TopLogprobs } from './logit-inputs.js';
import type { RowSampling } from './sampling-options.js';
import type { PrefixCopy } from './shared-prefixes.js';

/** The arguments of a call. */
export interface GenerateArgs {
  geometry: CacheGeometry;
  /** [slots] positions in use in every row. */
  lengths: Int32Array;
  /** Swaps of rows to make first, after which the rows of the call come before all others. */
  swaps: readonly (readonly [number, number])[];
  /** States of recurrent layers, and the rows (after the swaps) whose states are first restored from their snapshots. */
  recurrent?: { states: readonly StateSpec[]; restore: readonly number[] };
  /** Steps before `feed`: some rows read tokens, then other rows copy them as a prefix (see shared-prefixes.ts). */
  shared?: readonly { feed: readonly Int32Array[]; copies: readonly PrefixCopy[] }[];
  /** The new tokens of rows 0, 1, …; at least one per row. */
  feed: readonly Int32Array[];
  /** The most tokens per row that one run reads; bounds the memory of a long prompt. */
  chunk: number;
  /** Whether the widths of prompts and the cache's capacity are rounded up (see few-sizes.ts). */
  roundsSizes: boolean;
  /** [rows · maxNewTokens, at least one per row] in [0, 1), row after row; greedy graphs ignore them. */
  uniforms: Float32Array;
  /** Temperature and top-p, for graphs that have these inputs. */
  temperature?: number;
  topP?: number;
  /** For a mixed sampler: the settings of each row, and the size of the vocabulary. */
  mixed?: { rows: readonly RowSampling[]; vocabSize: number };
  /** For a sampler with biases: for each row, tokens and the numbers added to their logits. */
  logitBias?: readonly LogitBias[];
  /** For a sampler with rules: the rules of each row. */
  ruled?: readonly RuledText[];
  /** For a sampler with masks: the mask of each row's next token (see `tokenMaskInput`), and the size of the vocabulary. */
  masked?: { masks: readonly (Uint32Array | null)[]; vocabSize: number };
  /** [rows] each row's adapter, for graphs with an adapter bank (see adapter-bank-graph.ts). */
  adapterPlaces?: Int32Array;
  /** With 0 the new tokens are read and nothing is sampled. */
  maxNewTokens: number;
  /** The terminators of each row. */
  terminatorIds: readonly (readonly number[])[];
  /** The last position that the model supports. */
  lastPosition: number;
  /** The steps that run the graph for any number of new tokens, which needs the input `last`. */
  takesLast: Readonly<Record<Step, boolean>>;
  /** The number of different capacities of rows that the graphs support. */
  classes: 1 | 2;
  /** The ranges of batch sizes, inclusive, for which steps use `stepFew` (see weight-product.ts). */
  few: readonly (readonly [from: number, to: number])[];
}

/** The utterance of one row. */
export interface GeneratedRow {
  /** The sampled tokens, with the terminator if the utterance ended with one. */
  tokens: number[];
  logprobs: number[];
  samplingLogprobs: number[];
  /** For a sampler with masks: each token's log-probability among the tokens that could be chosen. */
  maskedLogprobs: number[];
  /** For a sampler with biases: the most likely tokens at each token. */
  topLogprobs: TopLogprobs[];
  terminated: boolean;
}

/** The utterances of a call, and the state of the cache after it. */
export interface GenerateResult {
  /** The rows, in the order of `feed`. */
  rows: GeneratedRow[];
  capacities: Int32Array;
  /** The positions that rows have in common now. */
  shared?: SharedPositions;
  lengths: Int32Array;
  /** Swaps that the loop made in addition, as rows left the batch. */
  swaps: [number, number][];
}

/** The steps of the loop, by the form of the graph that they use. */
export type Step = 'stepFew' | 'stepMany';
export type Role = 'prefill' | Step;
