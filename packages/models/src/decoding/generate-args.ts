// Declares arguments and results of the token loop, plain values for the device's worker thread.
import type { StateSpec } from '../architecture/recurrence.js';
import type { CacheGeometry, SharedPositions } from './cache-rows.js';
import type { LogitBias, RuledText, TopLogprobs } from './logit-inputs.js';
import type { RowSampling } from './sampling-options.js';
import type { PrefixCopy } from './shared-prefixes.js';

export interface GenerateArgs {
  geometry: CacheGeometry;
  /** [rows of the cache] the number of positions in use. */
  lengths: Int32Array;
  /** Swaps of cache rows that are made first, after which the rows of this call come before all others. */
  swaps: readonly (readonly [number, number])[];
  /** The specs of recurrent states, and the rows (after the swaps) whose states are first restored from their snapshots. */
  recurrent?: { states: readonly StateSpec[]; restore: readonly number[] };
  /** Stages before `feed`: in each, some rows read tokens, then other rows copy these as a prefix (see shared-prefixes.ts). */
  shared?: readonly { feed: readonly Int32Array[]; copies: readonly PrefixCopy[] }[];
  /** The new tokens of the cache's rows 0, 1, …; at least one token per row. */
  feed: readonly Int32Array[];
  /** The most tokens per row that the graph reads at a time, which bounds the memory of a long prompt. */
  chunk: number;
  /** Whether the widths of prompts and the cache's capacities are rounded up (see few-sizes.ts). */
  roundsSizes: boolean;
  /** [rows · maxNewTokens, at least one per row] uniform random numbers in [0, 1), row after row; greedy graphs ignore them. */
  uniforms: Float32Array;
  /** Temperature and top-p, for graphs that have these inputs. */
  temperature?: number;
  topP?: number;
  /** For a sampler with different settings per row: the settings of each row, and the size of the vocabulary. */
  mixed?: { rows: readonly RowSampling[]; vocabSize: number };
  /** For a sampler with logit biases: for each row, tokens and the numbers that are added to their logits. */
  logitBias?: readonly LogitBias[];
  /** For a sampler with rules that change logits: the rules of each row. */
  ruled?: readonly RuledText[];
  /** For a sampler with token masks: the mask of each row's next token (see `tokenMaskInput`), and the size of the vocabulary. */
  masked?: { masks: readonly (Uint32Array | null)[]; vocabSize: number };
  /** [rows] the index of each row's adapter in the bank, for graphs with an adapter bank (see adapter-bank-graph.ts). */
  adapterPlaces?: Int32Array;
  /** The most tokens of an utterance; with 0 the new tokens are read and nothing is sampled. */
  maxNewTokens: number;
  /** The tokens that end the utterance of each row. */
  terminatorIds: readonly (readonly number[])[];
  /** The index of the last position that the model supports. */
  lastPosition: number;
  /** For each kind of step whether it runs the graph for any number of new tokens, which has the additional input `last`. */
  takesLast: Readonly<Record<Step, boolean>>;
  /** The number of different row capacities that the graphs support. */
  classes: 1 | 2;
  /** The ranges of batch sizes, both ends included, for which steps use `stepFew` (see weight-product.ts). */
  few: readonly (readonly [from: number, to: number])[];
}

export interface GeneratedRow {
  /** The sampled tokens, including the terminator if the utterance ended with one. */
  tokens: number[];
  logprobs: number[];
  samplingLogprobs: number[];
  /** For a sampler with token masks: the log-probability of each token among those that the mask allowed. */
  maskedLogprobs: number[];
  /** For a sampler with biases: the most likely tokens at the position of each token. */
  topLogprobs: TopLogprobs[];
  terminated: boolean;
}

export interface GenerateResult {
  /** The utterances in the order of `feed`. */
  rows: GeneratedRow[];
  capacities: Int32Array;
  /** The shared prefixes of the cache after the call. */
  shared?: SharedPositions;
  lengths: Int32Array;
  /** Swaps of cache rows that the loop made besides those in the arguments, as finished rows left the batch. */
  swaps: [number, number][];
}

/** The kinds of steps of the loop, by the form of the graph that they use: for few or for many rows. */
export type Step = 'stepFew' | 'stepMany';
export type Role = 'prefill' | Step;
