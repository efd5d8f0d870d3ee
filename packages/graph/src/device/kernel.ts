// Declares host kernels: functions that run in the device's worker and change state arrays in place (optimizers, averages, caches).
import type { DataType, TensorArray } from '../dtype.js';

/** A state tensor that a kernel gets, with the state's own array. The array is empty if the kernel was loaded as resident. */
export interface KernelTensor {
  readonly dtype: DataType;
  readonly dims: readonly number[];
  readonly data: TensorArray;
}

/** The tensors of one state by name, in the order of their creation. */
export type KernelState = Readonly<Record<string, KernelTensor>>;

interface KernelTensorInput {
  readonly dims: readonly number[];
  readonly data: TensorArray;
}

/** A view: elements of a state's tensor with other dimensions, beginning at element `first`. */
export type KernelView = readonly [role: string, tensor: string, dims: readonly number[], first?: number];

/** A program bound to states that a kernel runs without messages. Data types must be the graph's (int64: BigInt64Array). */
export interface KernelProgram {
  run(feeds: {
    inputs?: Readonly<Record<string, KernelTensorInput>>;
    /** For these graph inputs, a view of a tensor of the call's states; `first` is 0 if omitted, as it must be on a GPU. */
    views?: Readonly<Record<string, KernelView>>;
  }): Promise<Record<string, KernelTensor>>;
}

export interface KernelCall<States extends string = string, Args = unknown, Programs extends string = string> {
  readonly states: Readonly<Record<States, KernelState>>;
  readonly programs: Readonly<Record<Programs, KernelProgram>>;
  /** The arguments that the caller passes: JSON values and typed arrays. */
  readonly args: Args;
}

/** The function that a kernel module exports. Its result is sent to another thread, so it should be small. */
export type HostKernel<
  States extends string = string,
  Args = unknown,
  Result = unknown,
  Programs extends string = string,
> = (call: KernelCall<States, Args, Programs>) => Result | Promise<Result>;
