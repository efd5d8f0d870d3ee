// Keeps states (named tensors such as weights) in GPU buffers (WebGPU). A stored output becomes the new state tensor and the old
// buffer is freed; only inputs, fetched outputs and checkpoints are copied between host and GPU. `getData()` on a GPU tensor
// aborts the process in onnxruntime-node 1.30, so elements are read through a graph that copies a tensor to an output on the CPU.
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { newArray, writeInto, type DataType, type TensorArray } from '../dtype.js';
import { accumulatorName, outputName } from '../output-name.js';
import { copyModel } from '../serialize.js';
import { Backend, type RequestOf, type StateTensor } from './backend.js';
import { hostViews, inputTypes, type RunnableBinding, type ViewOf } from './kernel-host.js';
import type { HostKernel, KernelState } from './kernel.js';
import type { StateLink, StateTensorSpec, TypedHostTensor, Wiring } from './protocol.js';
import { limitProfile, profileOptions } from './session-profile.js';
import { raise, sizeOf } from './tensor-size.js';

export class GpuBackend extends Backend<StateTensor, GpuBinding> {
  /** The sessions that copy a tensor to or from the GPU, by the kind of copy and the tensor's type. */
  readonly #copies = new Map<string, Promise<InferenceSession>>();

  /** The options of the WebGPU provider. All sessions share one GPU device, which has the settings of the first session. */
  readonly #provider: InferenceSession.WebGpuExecutionProviderOption = {
    name: 'webgpu',
    storageBufferCacheMode: this.settings.gpuBuffers === 'exact' ? 'simple' : 'bucket',
  };

  protected async createTensor({ dtype, dims, data }: StateTensorSpec): Promise<StateTensor> {
    return { dtype, dims, tensor: await this.#upload(dtype, dims, data ?? newArray(dtype, sizeOf(dims))) };
  }

  protected async readTensor({ dtype, tensor }: StateTensor): Promise<TensorArray> {
    const { y } = await (await this.#copySession(dtype, 'cpu')).run({ x: tensor });
    return (y as Tensor).data as TensorArray;
  }

  protected async writeTensor(target: StateTensor, data: TensorArray, offset = 0): Promise<void> {
    const old = target.tensor;
    const isPart = data.length < sizeOf(target.dims);
    const whole = isPart ? await this.readTensor(target) : data;
    if (isPart) writeInto(whole, data, offset);
    target.tensor = await this.#upload(target.dtype, target.dims, whole);
    old.dispose();
  }

  protected freeTensor({ tensor }: StateTensor): void {
    tensor.dispose();
  }

  protected prefixOf({ dtype, tensor }: StateTensor, dims: readonly number[]): Tensor {
    return Tensor.fromGpuBuffer(tensor.gpuBuffer, { dataType: dtype as 'float32', dims });
  }

  protected async createSession({ stored, model, externalData }: RequestOf<'compile'>): Promise<InferenceSession> {
    const { profileFolder } = this.settings;
    const session = await InferenceSession.create(model as Uint8Array, {
      executionProviders: [this.#provider],
      graphOptimizationLevel: 'all',
      // ONNX Runtime computes shapes on the CPU on purpose, but warns about it each time, so its warnings are turned off.
      logSeverityLevel: 3,
      // The option `preferredOutputLocation` is left out if no output is stored: with it, even empty, ONNX Runtime's Node binding
      // ignores the tensors into which outputs should be written.
      ...(stored.length > 0 && {
        preferredOutputLocation: Object.fromEntries(stored.map((name) => [outputName(name), 'gpu-buffer'])),
      }),
      ...(externalData.length > 0 && { externalData }),
      ...profileOptions(profileFolder),
    });
    return limitProfile(session, profileFolder);
  }

  protected canReopen(): boolean {
    return false;
  }

  protected createBinding(session: InferenceSession, wiring: Wiring): GpuBinding {
    return new GpuBinding(session, wiring, {
      tensorOf: (stateId, name) => this.tensor(stateId, name),
      zeros: ({ dtype, dims }) => this.#upload(dtype, dims, newArray(dtype, sizeOf(dims))),
    });
  }

  protected async callKernel(kernel: HostKernel, request: RequestOf<'callKernel'>): Promise<unknown> {
    return request.resident ? this.#callResident(kernel, request) : this.#callOnCopies(kernel, request);
  }

  /** Calls a kernel that only runs programs on GPU buffers; instead of arrays it gets the tensors' types and sizes. */
  async #callResident(kernel: HostKernel, request: RequestOf<'callKernel'>): Promise<unknown> {
    const states = await this.statesOf(request, withoutElements);
    const viewOf: ViewOf = (role, name, dims, first = 0) => {
      if (first > 0)
        raise(`a kernel views '${name}' from element ${first} on; a GPU's buffers are viewed from the first`);
      const stateId = request.states[role] ?? raise(`a kernel views '${role}', which is not among its states`);
      return this.prefixOf(this.tensor(stateId, name), dims);
    };
    return kernel({ states, programs: this.programsOf(request, viewOf), args: request.args });
  }

  /** Calls a host kernel that has no graph: the states are copied to the host, and back after the call, which is slow. */
  async #callOnCopies(kernel: HostKernel, request: RequestOf<'callKernel'>): Promise<unknown> {
    const states = await this.statesOf(request, (state) => this.read(state, Object.keys(state)));
    const programs = this.programsOf(request, hostViews(states));
    const result = await kernel({ states, programs, args: request.args });
    for (const [role, stateId] of Object.entries(request.states)) {
      for (const [name, { data }] of Object.entries(states[role]!))
        await this.writeTensor(this.tensor(stateId, name), data);
    }
    return result;
  }

  async #upload(dtype: DataType, dims: readonly number[], data: TensorArray): Promise<Tensor> {
    const session = await this.#copySession(dtype, 'gpu-buffer');
    return (await session.run({ x: new Tensor(dtype as 'float32', data as Float32Array, dims) })).y as Tensor;
  }

  #copySession(dtype: DataType, to: 'cpu' | 'gpu-buffer'): Promise<InferenceSession> {
    const key = `${dtype} ${to}`;
    let session = this.#copies.get(key);
    if (!session) {
      session = InferenceSession.create(copyModel(dtype), {
        executionProviders: [this.#provider],
        preferredOutputLocation: { y: to },
      });
      this.#copies.set(key, session);
    }
    return session;
  }
}

function withoutElements(state: Readonly<Record<string, StateTensor>>): KernelState {
  const sizes = Object.entries(state).map(([name, { dtype, dims }]) => [
    name,
    { dtype, dims, data: newArray(dtype, 0) },
  ]);
  return Object.fromEntries(sizes) as KernelState;
}

/** A session connected to state tensors, which are looked up at each run, since a stored output replaces them. */
class GpuBinding implements RunnableBinding {
  readonly types: ReadonlyMap<string, DataType>;
  /** A second buffer for each stored output that overwrites no input's memory; after a run it is exchanged with the state's. */
  readonly #spare = new Map<string, Tensor>();

  constructor(
    private readonly session: InferenceSession,
    private readonly wiring: Wiring,
    private readonly tensors: {
      tensorOf: (stateId: number, name: string) => StateTensor;
      zeros: (like: StateTensor) => Promise<Tensor>;
    },
  ) {
    this.types = inputTypes(session);
  }

  async run(given: Readonly<Record<string, Tensor>>): Promise<Record<string, TypedHostTensor>> {
    const { state, store, mode, fetch, inPlace } = this.wiring;
    const feeds: Record<string, Tensor> = { ...given };
    const { tensorOf, zeros } = this.tensors;
    const feed = (input: string, [, stateId, name]: StateLink) => (feeds[input] = tensorOf(stateId, name).tensor);
    for (const link of state) feed(link[0], link);
    if (mode === 'add') for (const link of store) feed(accumulatorName(link[0]), link);
    const fetches: Record<string, Tensor | null> = {};
    for (const name of [...fetch, ...store.map(([output]) => output)]) fetches[outputName(name)] = null;
    for (const [output, input] of inPlace) fetches[outputName(output)] = feeds[input]!;
    const exchanged = inPlace.length > 0 ? store : [];
    for (const [output, stateId, name] of exchanged)
      fetches[outputName(output)] = this.#spare.get(output) ?? (await zeros(tensorOf(stateId, name)));
    const results = await this.session.run(feeds, fetches);
    for (const [output, stateId, name] of store) {
      const target = tensorOf(stateId, name);
      if (exchanged.length > 0) this.#spare.set(output, target.tensor);
      else target.tensor.dispose();
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
