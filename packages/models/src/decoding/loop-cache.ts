// The operations that the token loop needs of a key-value cache, on the host or on a device.
import type { KernelProgram, KernelTensor } from '@bowyer/graph';
import type { PrefixCopy } from './shared-prefixes.js';

export type KernelInputs = NonNullable<Parameters<KernelProgram['run']>[0]['inputs']>;

/** The place of the keys and values, and how a run of the decoding graph reads and extends them. */
export interface LoopCache {
  readonly capacity: number;
  /** [rows] positions in use. */
  readonly lengths: Int32Array;
  /** Exchanges two rows with all that is in them. */
  swap(a: number, b: number): void;
  /** Keys and values of the first positions of a row, and its states, replace another row's. */
  copy(copy: PrefixCopy): void;
  /** Keeps the states of the first rows, to go back to, if there are states: these keep nothing of what they were. */
  takeSnapshots?(rows: number): void;
  /**
   * Runs the graph over the first rows and keeps the new keys and values.
   *
   * @param width tokens per row in `inputs`; @param counts [rows] how many of them are real, the rest being padding
   */
  run(
    program: KernelProgram,
    inputs: KernelInputs,
    width: number,
    counts: Int32Array,
  ): Promise<Readonly<Record<string, KernelTensor>>>;
}
