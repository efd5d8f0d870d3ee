// CPU residency: state is typed arrays on the host, fed to sessions without copying and changed in place.
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { type DataType, type TensorArray } from '../dtype.js';
import { accumulatorName, outputName } from '../output-name.js';
import { HostBinding } from './host-binding.js';
import { HostMemory } from './host-memory.js';
import { raise, sizeOf } from './tensor-size.js';
import { hostViews, kernelProgram, loadKernel } from './kernel-host.js';
import type { HostKernel } from './kernel.js';
import type { Request, StateTensorSpec, TypedHostTensor, WorkerSettings, Wiring } from './protocol.js';

interface StateTensor {
  dtype: DataType;
  dims: readonly number[];
  data: TensorArray;
  /** The same memory as an ONNX Runtime tensor, made once. */
  tensor: Tensor;
}

type StateTensors = Record<string, StateTensor>;

export class HostBackend {
  readonly #memory = new HostMemory();
  readonly #states = new Map<number, StateTensors>();
  readonly #programs = new Map<number, Map<string, InferenceSession>>();
  readonly #bindings = new Map<number, HostBinding>();
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
          Object.fromEntries(request.tensors.map((spec) => [spec.name, stateTensor(spec, this.#memory)])),
        );
        return null;
      case 'readState':
        return this.#read(request.stateId, request.names);
      case 'writeState':
        for (const { name, data } of request.tensors) this.#tensor(request.stateId, name).data.set(data as never);
        return null;
      case 'releaseState':
        for (const { data } of Object.values(this.#states.get(request.stateId) ?? {})) this.#memory.free(data);
        this.#states.delete(request.stateId);
        return null;
      case 'compile':
        await this.#compile(request);
        return null;
      case 'releaseProgram':
        for (const session of this.#programs.get(request.programId)?.values() ?? []) await session.release();
        this.#programs.delete(request.programId);
        return null;
      case 'releaseBinding':
        this.#bindings.delete(request.bindingId);
        return null;
      case 'loadKernel':
        this.#kernels.set(request.kernelId, await loadKernel(request.module, request.name));
        return null;
      case 'close':
        for (const sessions of this.#programs.values())
          for (const session of sessions.values()) await session.release();
        return null;
    }
  }

  async #compile({
    programId,
    variant,
    model,
    externalData: given,
    constants,
  }: Extract<Request, { kind: 'compile' }>): Promise<void> {
    const externalData = [...given, ...constants.map(([path, id, name]) => ({ path, data: this.#bytes(id, name) }))];
    // Two overloads: a path, or bytes.
    const session = await InferenceSession.create(model as string, {
      executionProviders: this.settings.device === 'cuda' ? ['cuda', 'cpu'] : ['cpu'],
      graphOptimizationLevel: 'all',
      executionMode: 'sequential',
      intraOpNumThreads: this.settings.threads,
      interOpNumThreads: 1,
      // A memory pattern would be one more block beside those of the first run: up to twice the activations.
      enableMemPattern: false,
      ...(externalData.length > 0 && { externalData }),
    });
    const sessions = this.#programs.get(programId) ?? new Map<string, InferenceSession>();
    this.#programs.set(programId, sessions.set(variant, session));
  }

  #bind(programId: number, { state, store, mode, fetch, variant }: Wiring): HostBinding {
    const session = this.#programs.get(programId)?.get(variant) ?? raise('the program was released');
    const feeds: Record<string, Tensor> = {};
    const targets: Record<string, Tensor> = {};
    for (const [input, stateId, name] of state) feeds[input] = this.#tensor(stateId, name).tensor;
    for (const [output, stateId, name] of store) {
      const { tensor } = this.#tensor(stateId, name);
      targets[outputName(output)] = tensor;
      // The sum is read from and written to the same array; each element is read before it is written.
      if (mode === 'add') feeds[accumulatorName(output)] = tensor;
    }
    return new HostBinding(session, feeds, targets, fetch, mode);
  }

  async #run({ binding, inputs, views }: Extract<Request, { kind: 'run' }>): Promise<Record<string, TypedHostTensor>> {
    const bound = typeof binding === 'number' ? this.#binding(binding) : this.#bind(binding.programId, binding.wiring);
    const feeds: Record<string, Tensor> = {};
    for (const name in inputs) {
      const { dtype, data, dims } = inputs[name]!;
      feeds[name] = new Tensor(dtype, data, dims);
    }
    for (const [input, stateId, name, dims] of views) feeds[input] = prefixView(this.#tensor(stateId, name), dims);
    return bound.run(feeds);
  }

  #binding(bindingId: number): HostBinding {
    return this.#bindings.get(bindingId) ?? raise('the program binding was released');
  }

  #tensor(stateId: number, name: string): StateTensor {
    const tensor = this.#states.get(stateId)?.[name];
    if (!tensor) throw new Error(`state tensor '${name}' is gone: its state was released`);
    return tensor;
  }

  #bytes(stateId: number, name: string): Uint8Array {
    const { buffer, byteOffset, byteLength } = this.#tensor(stateId, name).data;
    return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
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
      Object.entries(programs).map(([role, bindingId]) => [
        role,
        kernelProgram(this.#binding(bindingId), hostViews(live)),
      ]),
    );
    return (await this.#kernels.get(kernelId)!({ states: live, programs: runnable, args })) ?? null;
  }
}

/** The beginning of a state array under other dimensions, without a copy. */
function prefixView({ dtype, data }: StateTensor, dims: readonly number[]): Tensor {
  return new Tensor(dtype as 'float32', data.subarray(0, sizeOf(dims)) as Float32Array, dims);
}

function stateTensor({ name, dtype, dims, data }: StateTensorSpec, memory: HostMemory): StateTensor {
  const size = sizeOf(dims);
  const array = data ?? memory.allocate(dtype, size);
  if (array.length !== size)
    throw new RangeError(`state '${name}': ${array.length} elements for dimensions [${dims.join(', ')}]`);
  return { dtype, dims, data: array, tensor: new Tensor(dtype as 'float32', array as Float32Array, dims) };
}
