// CPU residency: state is typed arrays on the host, fed to sessions without copying and changed in place.
import { existsSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { newArray, type DataType, type TensorArray } from '../dtype.js';
import { outputName } from '../output-name.js';
import type { HostKernel, KernelProgram } from './kernel.js';
import type { Request, StateTensorSpec, TypedHostTensor, WorkerSettings, Wiring } from './protocol.js';

interface StateTensor {
  dtype: DataType;
  dims: readonly number[];
  data: TensorArray;
  /** The same memory as an ONNX Runtime tensor, made once. */
  tensor: Tensor;
}

type StateTensors = Record<string, StateTensor>;

/** A program with everything that is the same at each run. */
interface Binding {
  session: InferenceSession;
  /** Element type of each graph input. */
  types: ReadonlyMap<string, DataType>;
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
    const session = this.#sessions.get(programId) ?? raise('the program was released');
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
    const types = new Map(
      session.inputMetadata.flatMap((input) => (input.isTensor ? [[input.name, input.type as DataType]] : [])),
    );
    return { session, types, feeds, fetches, fetched, accumulated };
  }

  async #run({ binding, inputs, views }: Extract<Request, { kind: 'run' }>): Promise<Record<string, TypedHostTensor>> {
    const bound = typeof binding === 'number' ? this.#binding(binding) : this.#bind(binding.programId, binding.wiring);
    const feeds: Record<string, Tensor> = { ...bound.feeds };
    for (const name in inputs) {
      const { dtype, data, dims } = inputs[name]!;
      feeds[name] = new Tensor(dtype, data, dims);
    }
    for (const [input, stateId, name, dims] of views) feeds[input] = prefixView(this.#tensor(stateId, name), dims);
    return execute(bound, feeds);
  }

  #binding(bindingId: number): Binding {
    return this.#bindings.get(bindingId) ?? raise('the program binding was released');
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

  async #callKernel({ kernelId, states, programs, args }: Extract<Request, { kind: 'callKernel' }>): Promise<unknown> {
    const live: Record<string, StateTensors> = {};
    for (const [role, stateId] of Object.entries(states))
      live[role] = this.#states.get(stateId) ?? raise(`the state given as '${role}' was released`);
    const runnable = Object.fromEntries(
      Object.entries(programs).map(([role, bindingId]) => [role, kernelProgram(this.#binding(bindingId), live)]),
    );
    return (await this.#kernels.get(kernelId)!({ states: live, programs: runnable, args })) ?? null;
  }
}

/** One run of a session, and what is to become of its outputs. */
async function execute(
  { session, fetches, fetched, accumulated }: Binding,
  feeds: Record<string, Tensor>,
): Promise<Record<string, TypedHostTensor>> {
  const results = await session.run(feeds, fetches);
  for (const { output, target } of accumulated) addInto(target.data, results[output]!.data as TensorArray);
  const response: Record<string, TypedHostTensor> = {};
  for (const { name, output } of fetched) {
    const { type, dims, data } = results[output]!;
    response[name] = { dtype: type as DataType, dims, data: data as TensorArray };
  }
  return response;
}

function kernelProgram(binding: Binding, states: Readonly<Record<string, StateTensors>>): KernelProgram {
  return {
    run: async ({ inputs = {}, views = {} }) => {
      const feeds: Record<string, Tensor> = { ...binding.feeds };
      for (const name in inputs) {
        const dtype =
          binding.types.get(name) ??
          raise(
            `a kernel feeds '${name}', but no input is called so; inputs are ${[...binding.types.keys()].join(', ')}`,
          );
        feeds[name] = new Tensor(dtype as 'float32', inputs[name]!.data as Float32Array, inputs[name]!.dims);
      }
      for (const input in views) {
        const [role, name, dims] = views[input]!;
        feeds[input] = prefixView(
          states[role]?.[name] ?? raise(`a kernel views '${name}' of '${role}', which is not among its states`),
          dims,
        );
      }
      return execute(binding, feeds);
    },
  };
}

/** The beginning of a state array under other dimensions, without a copy. */
function prefixView({ dtype, data }: StateTensor, dims: readonly number[]): Tensor {
  const size = dims.reduce((product, dim) => product * dim, 1);
  return new Tensor(dtype as 'float32', data.subarray(0, size) as Float32Array, dims);
}

function raise(problem: string): never {
  throw new Error(problem);
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
