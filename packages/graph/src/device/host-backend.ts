// Keeps states (tensors such as weights) in typed arrays on the host, which sessions read without copying and change in place.
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { writeInto, type DataType, type TensorArray } from '../dtype.js';
import { accumulatorName, outputName } from '../output-name.js';
import { Backend, type RequestOf, type StateTensor } from './backend.js';
import { HostBinding } from './node/host-binding.js';
import { HostMemory } from './host-memory.js';
import { hostViews } from './kernel-host.js';
import type { HostKernel } from './kernel.js';
import type { StateTensorSpec, Wiring } from './protocol.js';
import type { SessionSlot } from './session-slot.js';
import { limitProfile, profileOptions } from './session-profile.js';
import { sizeOf } from './tensor-size.js';

/** A tensor of a state. Between `rest` and its next use, it takes no memory, and all its elements are zero. */
class HostTensor implements StateTensor {
  #tensor?: Tensor;

  constructor(
    readonly dtype: DataType,
    readonly dims: readonly number[],
    private readonly memory: HostMemory,
    array?: TensorArray,
  ) {
    this.#tensor = array && this.#of(array);
  }

  get tensor(): Tensor {
    return (this.#tensor ??= this.#of(this.memory.allocate(this.dtype, sizeOf(this.dims))));
  }

  get data(): TensorArray {
    return this.tensor.data as TensorArray;
  }

  free(): void {
    if (this.#tensor) this.memory.free(this.data);
    this.#tensor = undefined;
  }

  /** Frees the array until the tensor's next use, if all elements are zero. */
  rest(): void {
    if (this.#tensor && isZero(this.data)) this.free();
  }

  #of(array: TensorArray): Tensor {
    return new Tensor(this.dtype as 'float32', array as Float32Array, this.dims);
  }
}

/** Returns whether all elements are zero, by eight bytes at a time; false for an array for which that is not possible. */
function isZero({ buffer, byteOffset, byteLength }: TensorArray): boolean {
  if (byteOffset % 8 > 0 || byteLength % 8 > 0) return false;
  const numbers = new Float64Array(buffer, byteOffset, byteLength / 8);
  for (let i = 0; i < numbers.length; i++) if (numbers[i] !== 0) return false;
  return true;
}

/** The largest model, in bytes, that is kept in memory, so that its session can be closed and opened again. */
const LARGEST_KEPT = 8 << 20;

export class HostBackend extends Backend<HostTensor, HostBinding> {
  readonly #memory = new HostMemory();

  protected createTensor({ name, dtype, dims, data }: StateTensorSpec): HostTensor {
    if (data && data.length !== sizeOf(dims))
      throw new RangeError(`state '${name}': ${data.length} elements for dimensions [${dims.join(', ')}]`);
    return new HostTensor(dtype, dims, this.#memory, data);
  }

  protected readTensor({ data }: HostTensor): TensorArray {
    return data.slice();
  }

  protected writeTensor({ data: target }: HostTensor, data: TensorArray, offset = 0): void {
    writeInto(target, data, offset);
  }

  protected freeTensor(tensor: HostTensor): void {
    tensor.free();
  }

  protected override restTensor(tensor: HostTensor): void {
    tensor.rest();
  }

  protected prefixOf({ dtype, data }: HostTensor, dims: readonly number[]): Tensor {
    return new Tensor(dtype as 'float32', data.subarray(0, sizeOf(dims)) as Float32Array, dims);
  }

  protected async createSession({
    model,
    externalData: given,
    constants,
  }: RequestOf<'compile'>): Promise<InferenceSession> {
    const externalData = [...given, ...constants.map(([path, id, name]) => ({ path, data: this.#bytes(id, name) }))];
    const { profileFolder } = this.settings;
    // `model` may be a path or bytes; the type assertion is needed because `create` has two overloads.
    const session = await InferenceSession.create(model as string, {
      executionProviders: this.settings.device === 'cuda' ? ['cuda', 'cpu'] : ['cpu'],
      graphOptimizationLevel: 'all',
      executionMode: 'sequential',
      intraOpNumThreads: this.settings.threads,
      interOpNumThreads: 1,
      // With a memory pattern, ONNX Runtime would add a block to those of the first run: up to twice the activations.
      enableMemPattern: false,
      ...(externalData.length > 0 && { externalData }),
      ...profileOptions(profileFolder),
    });
    return limitProfile(session, profileFolder);
  }

  protected canReopen({ model, externalData, constants }: RequestOf<'compile'>): boolean {
    const outside = externalData.reduce((sum, { data }) => sum + data.byteLength, 0);
    const bytes = (typeof model === 'string' ? 0 : model.byteLength) + outside;
    return constants.length === 0 && bytes <= LARGEST_KEPT;
  }

  protected createBinding(
    session: InferenceSession,
    { state, store, mode, fetch }: Wiring,
    slot: SessionSlot,
  ): HostBinding {
    const feeds: Record<string, HostTensor> = {};
    const targets: Record<string, HostTensor> = {};
    for (const [input, stateId, name] of state) feeds[input] = this.tensor(stateId, name);
    for (const [output, stateId, name] of store) {
      const tensor = this.tensor(stateId, name);
      targets[outputName(output)] = tensor;
      // An accumulated output reads its sum from the array that it writes, which is safe: elements are read before they are
      // written.
      if (mode === 'add') feeds[accumulatorName(output)] = tensor;
    }
    return new HostBinding(session, slot, feeds, targets, fetch, mode);
  }

  protected async callKernel(kernel: HostKernel, request: RequestOf<'callKernel'>): Promise<unknown> {
    const states = await this.statesOf(request, (state) => state);
    return kernel({ states, programs: this.programsOf(request, hostViews(states)), args: request.args });
  }

  #bytes(stateId: number, name: string): Uint8Array {
    const { buffer, byteOffset, byteLength } = this.tensor(stateId, name).data;
    return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
  }
}
