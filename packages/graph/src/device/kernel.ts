// Host kernels: functions that run in the device's worker and change state arrays in place (optimizers, averaging, cache writes).
import type { DataType, TensorArray } from '../dtype.js';

/** A state tensor as a kernel gets it: its own array, which is empty where the kernel was loaded as resident. */
export interface KernelTensor {
  readonly dtype: DataType;
  readonly dims: readonly number[];
  readonly data: TensorArray;
}

/** Tensors of one state, by name, in the order they were created. */
export type KernelState = Readonly<Record<string, KernelTensor>>;

interface KernelTensorInput {
  readonly dims: readonly number[];
  readonly data: TensorArray;
}

export type KernelView = readonly [role: string, tensor: string, dims: readonly number[], first?: number];

/** A bound program as a kernel runs it: in the same thread, without messages. Data types must be the graph's (int64: BigInt64Array). */
export interface KernelProgram {
  run(feeds: {
    inputs?: Readonly<Record<string, KernelTensorInput>>;
    /**
     * Graph input ← elements of a tensor of one of the call's states under other dimensions, from its element `first` on: from
     * the beginning if that is left out, as it must be on a GPU.
     */
    views?: Readonly<Record<string, KernelView>>;
  }): Promise<Record<string, KernelTensor>>;
}

export interface KernelCall<States extends string = string, Args = unknown, Programs extends string = string> {
  readonly states: Readonly<Record<States, KernelState>>;
  readonly programs: Readonly<Record<Programs, KernelProgram>>;
  /** The arguments of the caller: plain JSON and typed arrays. */
  readonly args: Args;
}

/** The export of a kernel module. The result crosses threads: keep it small. */
export type HostKernel<
  States extends string = string,
  Args = unknown,
  Result = unknown,
  Programs extends string = string,
> = (call: KernelCall<States, Args, Programs>) => Result | Promise<Result>;
