// CPU residency: state is typed arrays on the host, fed to sessions without copying and changed in place.
import { existsSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { newArray, type TensorArray } from '../dtype.js';
import { outputName } from '../output-name.js';
import type { HostKernel, KernelState } from './kernel.js';
import type { Request, StateTensorSpec, TypedHostTensor, ViewLink, WorkerSettings, Wiring } from './protocol.js';

interface StateTensor {
  dtype: TypedHostTensor['dtype'];
  dims: readonly number[];
  data: TensorArray;
  /** The same memory as an ONNX Runtime tensor, made once. */
  tensor: Tensor;
}

type StateTensors = Record<string, StateTensor>;

/** A program with everything that is the same at each run. */
interface Binding {
  session: InferenceSession;
  feeds: Record<string, Tensor>;
  fetches: Record<string, Tensor | null>;
  fetched: { name: string; output: string }[];
  accumulated: { output: string; target: StateTensor }[];
}

export class HostBackend {
  readonly #states = new Map<number, StateTensors>();
  readonly #sessions = new Map<number, InferenceSession>();
  readonly #bindings = new Map<number, Binding>();
  readonly #kernels = new Map<number, HostKernel>();

  constructor(private readonly settings: WorkerSettings) {}

  async handle(request: Request): Promise<unknown> {
    switch (request.kind) {
      case 'run':
        return this.#run(request);
      case 'bind':
        this.#bindings.set(request.bindingId, this.#bind(request.programId, request.wiring));
        return null;
      case 'callKernel':
        return this.#callKernel(request);
      case 'createState':
        this.#states.set(
          request.stateId,
          Object.fromEntries(request.tensors.map((spec) => [spec.name, stateTensor(spec)])),
        );
        return null;
      case 'readState':
        return this.#read(request.stateId, request.names);
      case 'writeState':
        for (const { name, data } of request.tensors) this.#tensor(request.stateId, name).data.set(data as never);
        return null;
      case 'releaseState':
        this.#states.delete(request.stateId);
        return null;
      case 'compile':
        this.#sessions.set(request.programId, await this.#compile(request.model, request.externalData));
        return null;
      case 'releaseProgram':
        await this.#sessions.get(request.programId)?.release();
        this.#sessions.delete(request.programId);
        return null;
      case 'releaseBinding':
        this.#bindings.delete(request.bindingId);
        return null;
      case 'loadKernel':
        this.#kernels.set(request.kernelId, await loadKernel(request.module, request.name));
        return null;
      case 'close':
        await Promise.all([...this.#sessions.values()].map((session) => session.release()));
        return null;
    }
  }

  async #compile(model: Uint8Array, externalData: { path: string; data: Uint8Array }[]): Promise<InferenceSession> {
    return InferenceSession.create(model, {
      executionProviders: ['cpu'],
      graphOptimizationLevel: 'all',
      executionMode: 'sequential',
      intraOpNumThreads: this.settings.threads,
      interOpNumThreads: 1,
      enableMemPattern: true,
      ...(externalData.length > 0 && { externalData }),
    });
  }

  #bind(programId: number, wiring: Wiring): Binding {
    const session = this.#sessions.get(programId)!;
    const feeds: Record<string, Tensor> = {};
    for (const [input, stateId, name] of wiring.state) feeds[input] = this.#tensor(stateId, name).tensor;
    const fetches: Record<string, Tensor | null> = {};
    const fetched = wiring.fetch.map((name) => ({ name, output: outputName(name) }));
    for (const { output } of fetched) fetches[output] = null;
    const accumulated: Binding['accumulated'] = [];
    for (const [output, stateId, name] of wiring.store) {
      const target = this.#tensor(stateId, name);
      // Given its own array as pre-allocated output, ONNX Runtime writes in place.
      fetches[outputName(output)] = wiring.mode === 'write' ? target.tensor : null;
      if (wiring.mode === 'add') accumulated.push({ output: outputName(output), target });
    }
    return { session, feeds, fetches, fetched, accumulated };
  }

  async #run({ binding, inputs, views }: Extract<Request, { kind: 'run' }>): Promise<Record<string, TypedHostTensor>> {
    const bound =
      typeof binding === 'number' ? this.#bindings.get(binding)! : this.#bind(binding.programId, binding.wiring);
    const feeds: Record<string, Tensor> = { ...bound.feeds };
    for (const name in inputs) {
      const { dtype, data, dims } = inputs[name]!;
      feeds[name] = new Tensor(dtype, data, dims);
    }
    for (const view of views) feeds[view[0]] = this.#view(view);
    const results = await bound.session.run(feeds, bound.fetches);
    for (const { output, target } of bound.accumulated) addInto(target.data, results[output]!.data as TensorArray);
    const response: Record<string, TypedHostTensor> = {};
    for (const { name, output } of bound.fetched) {
      const { type, dims, data } = results[output]!;
      response[name] = { dtype: type as TypedHostTensor['dtype'], dims, data: data as TensorArray };
    }
    return response;
  }

  /** The beginning of a state array under other dimensions, without a copy. */
  #view([, stateId, name, dims]: ViewLink): Tensor {
    const { dtype, data } = this.#tensor(stateId, name);
    const size = dims.reduce((product, dim) => product * dim, 1);
    return new Tensor(dtype as 'float32', data.subarray(0, size) as Float32Array, dims);
  }

  #tensor(stateId: number, name: string): StateTensor {
    const tensor = this.#states.get(stateId)?.[name];
    if (!tensor) throw new Error(`state tensor '${name}' is gone: its state was released`);
    return tensor;
  }

  #read(stateId: number, names: readonly string[]): Record<string, TypedHostTensor> {
    return Object.fromEntries(
      names.map((name) => {
        const { dtype, dims, data } = this.#tensor(stateId, name);
        return [name, { dtype, dims, data: data.slice() }];
      }),
    );
  }

  async #callKernel({ kernelId, states, args }: Extract<Request, { kind: 'callKernel' }>): Promise<unknown> {
    const live: Record<string, KernelState> = {};
    for (const [role, stateId] of Object.entries(states)) {
      live[role] = this.#states.get(stateId) ?? missingState(role);
    }
    return (await this.#kernels.get(kernelId)!({ states: live, args })) ?? null;
  }
}

function missingState(role: string): never {
  throw new Error(`the state given as '${role}' was released`);
}

function stateTensor({ name, dtype, dims, data }: StateTensorSpec): StateTensor {
  const size = dims.reduce((product, dim) => product * dim, 1);
  const array = data ?? newArray(dtype, size);
  if (array.length !== size)
    throw new RangeError(`state '${name}': ${array.length} elements for dimensions [${dims.join(', ')}]`);
  return { dtype, dims, data: array, tensor: new Tensor(dtype as 'float32', array as Float32Array, dims) };
}

async function loadKernel(module: string, name: string): Promise<HostKernel> {
  const exported = ((await import(moduleFile(module))) as Record<string, unknown>)[name];
  if (typeof exported !== 'function') throw new Error(`kernel module ${module} exports no function '${name}'`);
  return exported as HostKernel;
}

/** Kernels are named by their compiled file; run from sources, the TypeScript file beside it is meant. */
function moduleFile(module: string): string {
  const source = module.replace(/\.js$/, '.ts');
  return existsSync(new URL(module)) || !existsSync(new URL(source)) ? module : source;
}

function addInto(target: TensorArray, addend: TensorArray): void {
  const [sum, more] = [target as Float32Array, addend as Float32Array];
  for (let i = 0; i < sum.length; i++) sum[i]! += more[i]!;
}
