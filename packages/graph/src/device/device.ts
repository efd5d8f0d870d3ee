// Represents a device on the main thread: one worker thread that owns all ONNX Runtime sessions, and the states (named tensors
// such as weights) that these read and write.
import { kernelProfileFolder, oneRank, type Ranks } from '@bowyer/core';
import {
  arrayClass,
  arrayTypes,
  dataTypeOf,
  holds,
  type DataType,
  type Precision,
  type TensorArray,
} from '../dtype.js';
import { DeviceError } from '../errors.js';
import type { Graph } from '../graph.js';
import { GraphKernel, WorkerKernel, type Kernel, type KernelSource } from './kernel-handles.js';
import {
  availableParallelism,
  checkDevice,
  checkRuntime,
  chooseDevice,
  kernelModule,
  ModelFiles,
} from './node/platform.js';
import { Program } from './program.js';
import type { DeviceKind, GpuBuffers, StateTensorSpec } from './protocol.js';
import { State, type StateTensorInfo, type StateTensorInit, type TensorCopy } from './state.js';
import type { StoredTensor } from '../stored-tensor.js';
import { sizeOf } from './tensor-size.js';
import { WorkerClient } from './worker-client.js';

export interface DeviceOptions {
  /** The kind of device; 'auto' is the kind that `chooseDevice` returns. */
  device: DeviceKind | 'auto';
  /** The type in which graphs compute; 'float16' needs a GPU that supports it in shaders. 'float32' if not given. */
  precision?: Precision;
  /** The cache of free GPU buffers, for 'webgpu' only. 'bucket' if not given. */
  gpuBuffers?: GpuBuffers;
  /** The number of threads inside one operator; all cores if not given. Results are bit-equal only for the same number. */
  threads?: number;
  /** The processes that compute together, each with its own device; this process alone if not given. */
  ranks?: Ranks;
  /** Whether each rank (process) keeps only its part of the optimizers' state (ZeRO-1). False if not given. */
  shardsOptimizers?: boolean;
}

/**
 * Starts a device. Close it in a `finally`, since its worker holds threads and memory. An idle device does not keep the process alive.
 *
 * @throws DeviceError if onnxruntime-node is not installed, or this machine has no such device
 */
export async function openDevice(options: DeviceOptions): Promise<Device> {
  checkRuntime();
  const threads = options.threads ?? availableParallelism();
  const device = options.device === 'auto' ? (await chooseDevice()).device : options.device;
  const precision = options.precision ?? 'float32';
  const { ranks = oneRank, shardsOptimizers = false, gpuBuffers = 'bucket' } = options;
  await checkDevice(device, precision, gpuBuffers);
  const client = new WorkerClient({ device, threads, gpuBuffers, profileFolder: kernelProfileFolder() });
  return new Device(device, precision, threads, client, ranks, shardsOptimizers, gpuBuffers);
}

export class Device implements AsyncDisposable {
  readonly #files = new ModelFiles();

  constructor(
    readonly kind: DeviceKind,
    readonly precision: Precision,
    readonly threads: number,
    private readonly client: WorkerClient,
    readonly ranks: Ranks = oneRank,
    readonly shardsOptimizers = false,
    readonly gpuBuffers: GpuBuffers = 'bucket',
  ) {}

  /** Returns where states are kept: arrays of the worker, or GPU buffers. With CUDA, each run copies the arrays to the GPU. */
  get residency(): 'host' | 'gpu' {
    return this.kind === 'webgpu' ? 'gpu' : 'host';
  }

  /** Creates a state from tensors, which the device owns. The arrays are transferred to the worker and are empty afterwards. */
  async createState(tensors: Readonly<Record<string, StateTensorInit>>): Promise<State> {
    const specs = Object.entries(tensors).map(([name, tensor]) => specOf(name, tensor));
    return this.#createState(specs, [...new Set(specs.map(({ data }) => data!.buffer as ArrayBuffer))]);
  }

  /**
   * Creates a state like `createState`, but transfers each tensor to the worker as soon as it is read. If a whole model were in
   * this thread's memory, garbage collection would be slow, since it runs once for each 64 MiB allocated.
   */
  async createStateFrom(tensors: AsyncIterable<readonly [name: string, tensor: StateTensorInit]>): Promise<State> {
    const stateId = this.client.nextId();
    const infos = new Map<string, StateTensorInfo>();
    await this.client.request({ kind: 'createState', stateId, tensors: [] });
    try {
      for await (const [name, tensor] of tensors) {
        const spec = specOf(name, tensor);
        await this.client.request({ kind: 'createState', stateId, tensors: [spec] }, [
          spec.data!.buffer as ArrayBuffer,
        ]);
        infos.set(name, { dtype: spec.dtype, shape: spec.dims });
      }
    } catch (error) {
      await this.client.request({ kind: 'releaseState', stateId });
      throw error;
    }
    return new State(stateId, infos);
  }

  /** Creates a state of zeros in the given shapes; only the shapes are sent to the worker. */
  async createZeros(
    shapes: Readonly<Record<string, readonly number[] | { shape: readonly number[]; dtype: DataType }>>,
  ): Promise<State> {
    const state = await this.#createState(
      Object.entries(shapes).map(([name, spec]) =>
        'shape' in spec ? { name, dtype: spec.dtype, dims: spec.shape } : { name, dtype: 'float32', dims: spec },
      ),
    );
    state.becomesZero();
    return state;
  }

  async #createState(tensors: StateTensorSpec[], transfer: ArrayBuffer[] = []): Promise<State> {
    const stateId = this.client.nextId();
    await this.client.request({ kind: 'createState', stateId, tensors }, transfer);
    return new State(stateId, new Map(tensors.map(({ name, dtype, dims }) => [name, { dtype, shape: dims }])));
  }

  /** Creates a second state from tensors of a state on the host, in the same memory, which the first state owns. */
  async viewOf(state: State, names: readonly string[]): Promise<State> {
    const stateId = this.client.nextId();
    const infos = names.map((name) => [name, state.info(name)] as const);
    await this.client.request({ kind: 'viewState', stateId, of: state.id, names });
    return new State(stateId, new Map(infos));
  }

  /** Copies tensors of a state (all if no names are given) to this thread, for checkpoints. */
  async read(state: State, names: readonly string[] = state.names): Promise<Record<string, TensorCopy>> {
    for (const name of names) state.info(name);
    const tensors = await this.client.request({ kind: 'readState', stateId: state.id, names });
    return Object.fromEntries(
      Object.entries(tensors).map(([name, { dtype, dims, data }]) => [name, { dtype, shape: dims, data }]),
    );
  }

  /** Overwrites tensors with copies. @param tensors `offset` is the first element's index; without it, `data` has all elements */
  async write(state: State, tensors: Readonly<Record<string, { data: TensorArray; offset?: number }>>): Promise<void> {
    const checked = Object.entries(tensors).map(([name, { data, offset }]) => {
      const { dtype, shape } = state.info(name);
      const size = shape.reduce((product, dim) => product * dim, 1);
      const fits = offset === undefined ? data.length === size : offset >= 0 && offset + data.length <= size;
      if (!fits || !holds(data, dtype)) {
        throw new RangeError(
          `write: '${name}' is ${dtype} [${shape.join(', ')}] with ${size} elements; the new data is ${arrayClass(data)} of ${data.length}${offset === undefined ? '' : `, from element ${offset} on`}`,
        );
      }
      return { name, data: data.byteLength === data.buffer.byteLength ? data : data.slice(), offset: offset ?? 0 };
    });
    state.changes();
    await this.client.request({ kind: 'writeState', stateId: state.id, tensors: checked });
  }

  /**
   * Returns a function that moves the elements of a frozen tensor out of this process's memory, into a file that sessions map;
   * the array is empty afterwards.
   *
   * @param bytes the size of all frozen tensors of the model together
   * @returns null if files have no advantage, because the tensors are small or sessions map no files
   */
  frozenStore(bytes: number): ((data: TensorArray) => StoredTensor) | null {
    const isWorthIt = this.residency === 'host' && ModelFiles.isWorthIt([{ byteLength: bytes }]);
    return isWorthIt ? (data) => this.#files.store(data) : null;
  }

  /**
   * Frees the working memory of all sessions, which is that of their largest run. Each session is closed, and opened again at its
   * next run, which gives equal numbers. Sessions with constants keep their memory, and so do those on a GPU.
   *
   * @param states states whose tensors are freed until their next use if all elements are zero, as gradients are between steps
   */
  async rest(states: readonly State[] = []): Promise<void> {
    if (this.residency === 'host') await this.client.request({ kind: 'rest', stateIds: states.map(({ id }) => id) });
  }

  /** Frees the tensors of a state. Programs bound to the state must not run afterwards. */
  async release(state: State): Promise<void> {
    await this.client.request({ kind: 'releaseState', stateId: state.id });
  }

  /**
   * Creates a program from the graph's outputs at the time of the call. The first `bind` or `run` creates the session, since the
   * session depends on which outputs are stored in states, and how.
   *
   * @param options.precision the device's own precision if not given; optimizers always compute in float32
   */
  async compile(graph: Graph, { precision = this.precision }: { precision?: Precision } = {}): Promise<Program> {
    return new Program(graph, { residency: this.residency, precision }, this.client, this.#files);
  }

  /**
   * Loads a kernel, which updates states. For states on the host, the kernel is the module's function. For states on a GPU it is
   * `graph`, the same update as an ONNX graph; without `graph`, it is the function on copies of the states on the host (correct,
   * but slow).
   */
  async loadKernel<Args = unknown, Result = unknown>({
    module,
    name,
    graph,
    resident = false,
    run,
  }: KernelSource): Promise<Kernel<Args, Result>> {
    const asGraph = run ? run === 'graph' : this.residency === 'gpu' && graph !== undefined;
    if (asGraph) {
      if (!graph) throw new Error(`loadKernel: '${name}' is to run as a graph, but none was given`);
      const compile = (built: Graph) => this.compile(built, { precision: 'float32' });
      return new GraphKernel(name, graph, compile, this.residency) as Kernel<Args, Result>;
    }
    if (resident && this.residency === 'host')
      throw new DeviceError(
        `loadKernel: '${name}' is for states on a GPU; device '${this.kind}' has them in its worker's arrays`,
      );
    const kernelId = this.client.nextId();
    await this.client.request({ kind: 'loadKernel', kernelId, module: kernelModule(module), name });
    return new WorkerKernel(kernelId, this.client, resident);
  }

  /** Ends the worker. Running calls are finished first; a second close does nothing. */
  async close(): Promise<void> {
    await this.client.close();
    this.#files.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function specOf(name: string, { shape, data, dtype = dataTypeOf(data) }: StateTensorInit): StateTensorSpec {
  const size = sizeOf(shape);
  if (data.length !== size)
    throw new RangeError(
      `createState: '${name}' has ${data.length} elements, shape [${shape.join(', ')}] needs ${size}`,
    );
  if (!holds(data, dtype))
    throw new TypeError(`createState: '${name}' of ${dtype} needs ${arrayTypes[dtype].name}, not ${arrayClass(data)}`);
  return { name, dtype, dims: shape, data: ownBuffer(data) };
}

/** Copies an array that is a view into a larger buffer, so that transferring it does not transfer the rest of the buffer. */
function ownBuffer(data: TensorArray): TensorArray {
  return data.byteLength === data.buffer.byteLength && arrayClass(data.buffer) === 'ArrayBuffer' ? data : data.slice();
}
