// Host kernels inside the worker: finding the function, and what it needs to run programs itself.
import { existsSync } from 'node:fs';
import { Tensor } from 'onnxruntime-node';
import type { DataType } from '../dtype.js';
import type { HostKernel, KernelProgram, KernelState } from './kernel.js';
import type { TypedHostTensor } from './protocol.js';
import { raise, sizeOf } from './tensor-size.js';

/** What a backend's binding offers to kernels. */
export interface RunnableBinding {
  readonly types: ReadonlyMap<string, DataType>;
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Record<string, TypedHostTensor>>;
}

/** The beginning of a state of the kernel's call under other dimensions. */
export type ViewOf = (role: string, name: string, dims: readonly number[]) => Tensor;

/** A binding as kernels see it: feeds are arrays, views are beginnings of the call's own states. */
export function kernelProgram(binding: RunnableBinding, viewOf: ViewOf): KernelProgram {
  return {
    run: ({ inputs = {}, views = {} }) => {
      const feeds: Record<string, Tensor> = {};
      for (const name in inputs) {
        const dtype =
          binding.types.get(name) ??
          raise(
            `a kernel feeds '${name}', but no input is called so; inputs are ${[...binding.types.keys()].join(', ')}`,
          );
        feeds[name] = new Tensor(dtype as 'float32', inputs[name]!.data as Float32Array, inputs[name]!.dims);
      }
      for (const input in views) {
        feeds[input] = viewOf(...views[input]!);
      }
      return binding.run(feeds);
    },
  };
}

/** Views of states whose arrays are here. */
export const hostViews =
  (states: Readonly<Record<string, KernelState>>): ViewOf =>
  (role, name, dims) => {
    const { dtype, data } =
      states[role]?.[name] ?? raise(`a kernel views '${name}' of '${role}', which is not among its states`);
    return new Tensor(dtype as 'float32', data.subarray(0, sizeOf(dims)) as Float32Array, dims);
  };

/** Import a kernel. */
export async function loadKernel(module: string, name: string): Promise<HostKernel> {
  const exported = ((await import(moduleFile(module))) as Record<string, unknown>)[name];
  if (typeof exported !== 'function') throw new Error(`kernel module ${module} exports no function '${name}'`);
  return exported as HostKernel;
}

/** Kernels are named by their compiled file; run from sources, the TypeScript file beside it is meant. */
function moduleFile(module: string): string {
  const source = module.replace(/\.js$/, '.ts');
  return existsSync(new URL(module)) || !existsSync(new URL(source)) ? module : source;
}
