// Host kernels: functions that run in the device's worker and change state arrays in place (optimizers, averaging, cache writes).
import type { DataType, TensorArray } from '../dtype.js';

/** A state tensor as a kernel sees it: its live array. */
export interface KernelTensor {
  readonly dtype: DataType;
  readonly dims: readonly number[];
  readonly data: TensorArray;
}

/** Tensors of one state, by name, in the order they were created. */
export type KernelState = Readonly<Record<string, KernelTensor>>;

export interface KernelCall<States extends string = string, Args = unknown> {
  readonly states: Readonly<Record<States, KernelState>>;
  /** What the caller passed: plain JSON and small typed arrays. */
  readonly args: Args;
}

/** What a kernel module exports. The result crosses threads: keep it small. */
export type HostKernel<States extends string = string, Args = unknown, Result = unknown> = (
  call: KernelCall<States, Args>,
) => Result | Promise<Result>;
