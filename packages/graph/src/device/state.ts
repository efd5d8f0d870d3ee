// Represents a state on the main thread: names, types and dimensions of tensors (such as weights) that a worker keeps.
import type { DataType, TensorArray } from '../dtype.js';

export interface StateTensorInfo {
  readonly dtype: DataType;
  readonly shape: readonly number[];
}

/** The shape and elements of a tensor of a new state. */
export interface StateTensorInit {
  shape: readonly number[];
  /** The elements; the array is transferred to the worker and empty afterwards. */
  data: TensorArray;
  /** The element type; needed only if the array's class does not determine it (bool, float16). */
  dtype?: DataType;
}

/** A copy of a state tensor. */
export interface TensorCopy {
  shape: readonly number[];
  dtype: DataType;
  data: TensorArray;
}

/** A state: tensors that a device owns. The object contains no elements; `device.read` copies them. */
export class State {
  #version = 0;
  #zeroVersion: number | null = null;

  constructor(
    /** @internal */
    readonly id: number,
    readonly tensors: ReadonlyMap<string, StateTensorInfo>,
  ) {}

  /** Counts the calls that may have changed an element: writes, stored outputs, and kernels that received the state. */
  get version(): number {
    return this.#version;
  }

  /** Records that a call may change an element of the state. @internal */
  changes(): void {
    this.#version++;
  }

  /** Records that all elements of the state are zero once the calls made so far are finished. */
  becomesZero(): void {
    this.#zeroVersion = this.#version;
  }

  /** Returns whether all elements of the state are known to be zero. */
  get isZero(): boolean {
    return this.#zeroVersion === this.#version;
  }

  get names(): string[] {
    return [...this.tensors.keys()];
  }

  /** Returns the type and shape of one of the state's tensors. */
  info(name: string): StateTensorInfo {
    const info = this.tensors.get(name);
    if (!info)
      throw new Error(
        `the state has no tensor '${name}'; it has ${this.names.slice(0, 8).join(', ')}${this.tensors.size > 8 ? ', …' : ''}`,
      );
    return info;
  }

  /** Counts the elements of all tensors of the state together. */
  get size(): number {
    let size = 0;
    for (const { shape } of this.tensors.values()) size += shape.reduce((product, dim) => product * dim, 1);
    return size;
  }
}
