// Represents the elements of a frozen tensor that are in a file instead of this process's memory.
import type { TensorArray } from './dtype.js';

export class StoredTensor {
  constructor(
    /** The file's name in the folder to which the device writes weights. */
    readonly file: string,
    readonly length: number,
    readonly byteLength: number,
    /** Reads the bytes from the file; they are not kept, so each call reads them again. */
    readonly read: () => Uint8Array,
  ) {}
}

/** The elements of an initializer, in memory or in a file. */
export type FrozenData = TensorArray | StoredTensor;
