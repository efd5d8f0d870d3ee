// Declares the operations of a KV cache that the token loop needs, on the host or on a device.
import type { KernelProgram, KernelTensor } from '@bowyer/graph';
import type { PrefixCopy } from './shared-prefixes.js';

export type KernelInputs = NonNullable<Parameters<KernelProgram['run']>[0]['inputs']>;

/** Holds a KV cache, and runs the decoding graph over it. */
export interface LoopCache {
  /** [rows] positions that each row has room for. */
  readonly capacities: Int32Array;
  /** [rows] positions in use. */
  readonly lengths: Int32Array;
  /** Swaps two rows with their keys, values and states. */
  swap(a: number, b: number): void;
  /** Overwrites the beginning of rows with the first positions of other rows (keys, values and states), in the given order. */
  copy(copies: readonly PrefixCopy[]): void;
  /**
   * Lists pairs of rows to swap so that long rows come first, if attention then reads less.
   *
   * @param needed [first rows] positions
   */
  longRowsFirst?(needed: readonly number[]): [number, number][];
  /** Keeps a copy of the first rows' recurrent states, if there are any, since a state cannot be computed backwards. */
  takeSnapshots?(rows: number): void;
  /** Moves every row's data to its own row. The next call knows nothing of pending swaps. */
  settle(): void | Promise<void>;
  /**
   * Runs the graph over the first rows and stores the new keys and values.
   *
   * @param width tokens per row in `inputs`
   * @param counts [rows] the number of real tokens; the rest is padding
   */
  run(
    program: KernelProgram,
    inputs: KernelInputs,
    width: number,
    counts: Int32Array,
  ): Promise<Readonly<Record<string, KernelTensor>>>;
}
