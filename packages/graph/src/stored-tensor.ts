// Represents the elements of a frozen tensor that are in a file instead of this process's memory.
import type { TensorArray } from './dtype.js';

export class StoredTensor {
  constructor(
    /** The file's name in the device's folder of weights. */
    readonly file: string,
    readonly length: number,
    readonly byteLength: number,
    /** Reads the bytes from the file, at each call again. */
    readonly read: () => Uint8Array,
  ) {}
}

/** The elements of an initializer. */
export type FrozenData = TensorArray | StoredTensor;
