// Runs host kernels (see kernel.ts) inside the worker: loads a kernel's function, and makes the programs and views that it gets.
import { Tensor, type InferenceSession } from 'onnxruntime-node';
import type { DataType } from '../dtype.js';
import type { KernelProgram, KernelState, KernelView } from './kernel.js';
import type { TypedHostTensor } from './protocol.js';
import { raise, sizeOf } from './tensor-size.js';

/** The methods of a binding (a session with its state tensors) that kernels use. */
export interface RunnableBinding {
  readonly types: ReadonlyMap<string, DataType>;
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Record<string, TypedHostTensor>>;
}

export const inputTypes = ({ inputMetadata }: InferenceSession): Map<string, DataType> =>
  new Map(inputMetadata.flatMap((input) => (input.isTensor ? [[input.name, input.type as DataType]] : [])));

/** Returns elements of a state's tensor as a tensor with other dimensions; the state is one of the kernel's call. */
export type ViewOf = (...view: KernelView) => Tensor;

/** Gives a binding the form for kernels: feeds are typed arrays, and views refer to elements of the call's states. */
export function kernelProgram(binding: RunnableBinding, viewOf: ViewOf): KernelProgram {
  return {
    run: ({ inputs = {}, views = {} }) => {
      const feeds: Record<string, Tensor> = {};
      for (const name in inputs) {
        const dtype =
          binding.types.get(name) ??
          raise(`a kernel feeds '${name}', which is not an input; inputs are ${[...binding.types.keys()].join(', ')}`);
        feeds[name] = new Tensor(dtype as 'float32', inputs[name]!.data as Float32Array, inputs[name]!.dims);
      }
      for (const input in views) {
        feeds[input] = viewOf(...views[input]!);
      }
      return binding.run(feeds);
    },
  };
}

/** Makes the function that returns views of states whose arrays are on the host. */
export const hostViews =
  (states: Readonly<Record<string, KernelState>>): ViewOf =>
  (role, name, dims, first = 0) => {
    const { dtype, data } =
      states[role]?.[name] ?? raise(`a kernel views '${name}' of '${role}', which is not among its states`);
    return new Tensor(dtype as 'float32', data.subarray(first, first + sizeOf(dims)) as Float32Array, dims);
  };
