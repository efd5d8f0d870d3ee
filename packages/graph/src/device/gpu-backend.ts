// GPU residency (WebGPU): state stays in GPU buffers. A stored output becomes the new state tensor and the old buffer is freed;
// only inputs, fetched outputs and checkpoints cross. `getData()` on a GPU tensor aborts the process in onnxruntime-node 1.30, so
// elements come down through a copying graph whose output is on the CPU.
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { newArray, type DataType, type TensorArray } from '../dtype.js';
import { accumulatorName, outputName } from '../output-name.js';
import { copyModel } from '../serialize.js';
import { hostViews, kernelProgram, loadKernel, type RunnableBinding } from './kernel-host.js';
import type { HostKernel, KernelState } from './kernel.js';
import type { Request, StateLink, StateTensorSpec, TypedHostTensor, Wiring } from './protocol.js';
import { raise, sizeOf } from './tensor-size.js';

interface GpuTensor {
  dtype: DataType;
  dims: readonly number[];
  tensor: Tensor;
}

type GpuTensors = Record<string, GpuTensor>;

export class GpuBackend {
  readonly #states = new Map<number, GpuTensors>();
  readonly #programs = new Map<number, Map<string, InferenceSession>>();
  readonly #bindings = new Map<number, GpuBinding>();
  readonly #kernels = new Map<number, HostKernel>();
  readonly #copies = new Map<string, Promise<InferenceSession>>();

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
        this.#states.set(request.stateId, await this.#createState(request.tensors));
        return null;
      case 'readState':
        return this.#download(this.#state(request.stateId), request.names);
      case 'writeState':
        for (const { name, data } of request.tensors) await this.#replace(this.#state(request.stateId)[name]!, data);
        return null;
      case 'releaseState':
        for (const { tensor } of Object.values(this.#state(request.stateId))) tensor.dispose();
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
    stored,
    model,
    externalData,
  }: Extract<Request, { kind: 'compile' }>): Promise<void> {
    const session = await InferenceSession.create(model as Uint8Array, {
      executionProviders: ['webgpu'],
      graphOptimizationLevel: 'all',
      // ONNX Runtime keeps shape arithmetic on the CPU on purpose, and warns about it each time.
      logSeverityLevel: 3,
      // Given at all, the binding ignores the tensors that outputs are to be written into.
      ...(stored.length > 0 && {
        preferredOutputLocation: Object.fromEntries(stored.map((name) => [outputName(name), 'gpu-buffer'])),
      }),
      ...(externalData.length > 0 && { externalData }),
    });
    const sessions = this.#programs.get(programId) ?? new Map<string, InferenceSession>();
    this.#programs.set(programId, sessions.set(variant, session));
  }

  #bind(programId: number, wiring: Wiring): GpuBinding {
    const session = this.#programs.get(programId)?.get(wiring.variant) ?? raise('the program was released');
    return new GpuBinding(session, wiring, (stateId, name) => this.#tensor(stateId, name));
  }

  async #run({ binding, inputs, views }: Extract<Request, { kind: 'run' }>): Promise<Record<string, TypedHostTensor>> {
    const bound = typeof binding === 'number' ? this.#binding(binding) : this.#bind(binding.programId, binding.wiring);
    const feeds: Record<string, Tensor> = {};
    for (const [name, { dtype, data, dims }] of Object.entries(inputs))
      feeds[name] = new Tensor(dtype as 'float32', data as Float32Array, dims);
    for (const [input, stateId, name, dims] of views) feeds[input] = prefixOf(this.#tensor(stateId, name), dims);
    return bound.run(feeds);
  }

  #binding(bindingId: number): GpuBinding {
    return this.#bindings.get(bindingId) ?? raise('the program binding was released');
  }

  #state(stateId: number): GpuTensors {
    return this.#states.get(stateId) ?? raise('the state was released');
  }

  #tensor(stateId: number, name: string): GpuTensor {
    return this.#state(stateId)[name] ?? raise(`the state has no tensor '${name}'`);
  }

  async #createState(specs: readonly StateTensorSpec[]): Promise<GpuTensors> {
    const tensors: GpuTensors = {};
    for (const { name, dtype, dims, data } of specs) {
      tensors[name] = { dtype, dims, tensor: await this.#upload(dtype, dims, data ?? newArray(dtype, sizeOf(dims))) };
    }
    return tensors;
  }

  /** A host kernel without a graph still works here, slowly: the states come down, and go up again as the kernel left them. */
  async #callKernel(request: Extract<Request, { kind: 'callKernel' }>): Promise<unknown> {
    const { kernelId, states, programs, args } = request;
    if (request.resident) return this.#callResidentKernel(request);
    const live: Record<string, KernelState> = {};
    for (const [role, stateId] of Object.entries(states)) {
      const gpu = this.#state(stateId);
      live[role] = await this.#download(gpu, Object.keys(gpu));
    }
    const runnable = Object.fromEntries(
      Object.entries(programs).map(([role, id]) => [role, kernelProgram(this.#binding(id), hostViews(live))]),
    );
    const result = (await this.#kernels.get(kernelId)!({ states: live, programs: runnable, args })) ?? null;
    for (const [role, stateId] of Object.entries(states)) {
      for (const [name, { data }] of Object.entries(live[role]!))
        await this.#replace(this.#tensor(stateId, name), data);
    }
    return result;
  }

  /** The kernel sees no elements; its programs' views are the GPU's own buffers. */
  async #callResidentKernel({
    kernelId,
    states,
    programs,
    args,
  }: Extract<Request, { kind: 'callKernel' }>): Promise<unknown> {
    const shown: Record<string, KernelState> = {};
    for (const [role, stateId] of Object.entries(states)) {
      const sizes = Object.entries(this.#state(stateId)).map(
        ([name, { dtype, dims }]) => [name, { dtype, dims, data: newArray(dtype, 0) }] as const,
      );
      shown[role] = Object.fromEntries(sizes);
    }
    const viewOf = (role: string, name: string, dims: readonly number[]) =>
      prefixOf(
        this.#tensor(states[role] ?? raise(`a kernel views '${role}', which is not among its states`), name),
        dims,
      );
    const runnable = Object.fromEntries(
      Object.entries(programs).map(([role, id]) => [role, kernelProgram(this.#binding(id), viewOf)]),
    );
    return (await this.#kernels.get(kernelId)!({ states: shown, programs: runnable, args })) ?? null;
  }

  async #replace(target: GpuTensor, data: TensorArray): Promise<void> {
    const old = target.tensor;
    target.tensor = await this.#upload(target.dtype, target.dims, data);
    old.dispose();
  }

  async #upload(dtype: DataType, dims: readonly number[], data: TensorArray): Promise<Tensor> {
    const session = await this.#copySession(dtype, 'gpu-buffer');
    return (await session.run({ x: new Tensor(dtype as 'float32', data as Float32Array, dims) })).y as Tensor;
  }

  async #download(state: GpuTensors, names: readonly string[]): Promise<Record<string, TypedHostTensor>> {
    const copies: Record<string, TypedHostTensor> = {};
    for (const name of names) {
      const { dtype, dims, tensor } = state[name] ?? raise(`the state has no tensor '${name}'`);
      const { y } = await (await this.#copySession(dtype, 'cpu')).run({ x: tensor });
      copies[name] = { dtype, dims, data: (y as Tensor).data as TensorArray };
    }
    return copies;
  }

  #copySession(dtype: DataType, to: 'cpu' | 'gpu-buffer'): Promise<InferenceSession> {
    const key = `${dtype} ${to}`;
    let session = this.#copies.get(key);
    if (!session) {
      session = InferenceSession.create(copyModel(dtype), {
        executionProviders: ['webgpu'],
        preferredOutputLocation: { y: to },
      });
      this.#copies.set(key, session);
    }
    return session;
  }
}

/** A session with fixed wiring. State tensors are looked up at each run, since a store puts new ones in their place. */
class GpuBinding implements RunnableBinding {
  readonly types: ReadonlyMap<string, DataType>;

  constructor(
    private readonly session: InferenceSession,
    private readonly wiring: Wiring,
    private readonly tensorOf: (stateId: number, name: string) => GpuTensor,
  ) {
    this.types = new Map(
      session.inputMetadata.flatMap((input) => (input.isTensor ? [[input.name, input.type as DataType]] : [])),
    );
  }

  async run(given: Readonly<Record<string, Tensor>>): Promise<Record<string, TypedHostTensor>> {
    const { state, store, mode, fetch, inPlace } = this.wiring;
    const feeds: Record<string, Tensor> = { ...given };
    const feed = (input: string, [, stateId, name]: StateLink) => (feeds[input] = this.tensorOf(stateId, name).tensor);
    for (const link of state) feed(link[0], link);
    if (mode === 'add') for (const link of store) feed(accumulatorName(link[0]), link);
    const fetches: Record<string, Tensor | null> = {};
    for (const name of [...fetch, ...store.map(([output]) => output)]) fetches[outputName(name)] = null;
    for (const [output, input] of inPlace) fetches[outputName(output)] = feeds[input]!;
    const results = await this.session.run(feeds, fetches);
    for (const [output, stateId, name] of store) {
      const target = this.tensorOf(stateId, name);
      target.tensor.dispose();
      target.tensor = results[outputName(output)] as Tensor;
    }
    return Object.fromEntries(
      fetch.map((name) => {
        const { type, dims, data } = results[outputName(name)] as Tensor;
        return [name, { dtype: type as DataType, dims, data: data as TensorArray }];
      }),
    );
  }
}

/** The beginning of a GPU buffer under other dimensions. */
function prefixOf({ dtype, tensor }: GpuTensor, dims: readonly number[]): Tensor {
  return Tensor.fromGpuBuffer(tensor.gpuBuffer as never, { dataType: dtype as 'float32', dims });
}
