// The operations that the token loop needs of a key-value cache, on the host or on a device.
import type { KernelProgram, KernelTensor } from '@bowyer/graph';
import type { PrefixCopy } from './shared-prefixes.js';

export type KernelInputs = NonNullable<Parameters<KernelProgram['run']>[0]['inputs']>;

/** The place of the keys and values, and how a run of the decoding graph reads and extends them. */
export interface LoopCache {
  /** [rows] positions that there is room for. */
  readonly capacities: Int32Array;
  /** [rows] positions in use. */
  readonly lengths: Int32Array;
  /** Exchanges two rows with all that is in them. */
  swap(a: number, b: number): void;
  /** Replaces rows by the first positions of other rows, keys and values and states, in the given order. */
  copy(copies: readonly PrefixCopy[]): void;
  /**
   * Lists pairs of rows to exchange so that long rows come first, where attention reads less then.
   *
   * @param needed [first rows] positions
   */
  longRowsFirst?(needed: readonly number[]): [number, number][];
  /** Keeps the states of the first rows, to go back to, if there are states: these keep nothing of what they were. */
  takeSnapshots?(rows: number): void;
  /** Brings every row's content to its place: another call does not know where exchanges have left it. */
  settle(): void | Promise<void>;
  /**
   * Runs the graph over the first rows and keeps the new keys and values.
   *
   * @param width tokens per row in `inputs`
   * @param counts [rows] how many of them are real, the rest being padding
   */
  run(
    program: KernelProgram,
    inputs: KernelInputs,
    width: number,
    counts: Int32Array,
  ): Promise<Readonly<Record<string, KernelTensor>>>;
}
