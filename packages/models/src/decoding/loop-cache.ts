// Declares the operations of a KV cache that the token loop needs, for caches on the host and on a GPU.
import type { KernelProgram, KernelTensor } from '@bowyer/graph';
import type { PrefixCopy } from './shared-prefixes.js';

export type KernelInputs = NonNullable<Parameters<KernelProgram['run']>[0]['inputs']>;

export interface LoopCache {
  /** [rows] the number of positions for which each row has room. */
  readonly capacities: Int32Array;
  /** [rows] the number of positions in use. */
  readonly lengths: Int32Array;
  /** Swaps two rows with their keys, values and recurrent states. */
  swap(a: number, b: number): void;
  /** Overwrites the first positions of rows (keys, values and recurrent states) by those of others, in the order of `copies`. */
  copy(copies: readonly PrefixCopy[]): void;
  /** Lists swaps of rows that let attention read fewer positions; `needed` has those that each of the first rows needs. */
  longRowsFirst?(needed: readonly number[]): [number, number][];
  /** Keeps a copy of the first rows' recurrent states, since an earlier state cannot be computed from a later one. */
  takeSnapshots?(rows: number): void;
  /** Moves every row's data to its own index, since the next call does not know of pending swaps. */
  settle(): void | Promise<void>;
  /**
   * Runs the graph over the first rows and stores the new keys and values.
   *
   * @param width the number of tokens per row in `inputs`
   * @param counts [rows] the number of real tokens of each row; the others are padding
   */
  run(
    program: KernelProgram,
    inputs: KernelInputs,
    width: number,
    counts: Int32Array,
  ): Promise<Readonly<Record<string, KernelTensor>>>;
}
