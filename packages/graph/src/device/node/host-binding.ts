// Runs a session on the CPU with inputs and outputs that are connected to state tensors: stored outputs are written into the
// states' arrays, and nothing large is copied.
import { Tensor, type InferenceSession } from 'onnxruntime-node';
import { evaluateDim, type Shape } from '../../dims.js';
import { newArray, type DataType, type TensorArray } from '../../dtype.js';
import { NO_COPY_OUTPUT, outputName } from '../../output-name.js';
import type { StoreMode, TypedHostTensor } from '../protocol.js';
import type { SessionSlot } from '../session-slot.js';

/** A graph output that is returned to the caller of a run. */
interface Fetched {
  name: string;
  output: string;
  dtype: DataType;
  shape: Shape;
}

/** A tensor of a state. Its array may be another one at the next run. */
interface Bound {
  readonly tensor: Tensor;
}

export class HostBinding {
  /** The element type of each graph input. */
  readonly types = new Map<string, DataType>();
  readonly #fetched: Fetched[];
  /** The graph input and axis from which the size of each symbol is read. */
  readonly #symbols = new Map<string, { input: string; axis: number }>();
  readonly #stores: boolean;
  readonly #targets: Record<string, Bound> = {};
  /** Stored outputs whose state the same run reads (in-place updates): written to a second array, and copied after the run. */
  readonly #deferred: { target: Bound; scratch: Bound }[] = [];

  /**
   * @param feeds graph inputs, and the state tensors that they read
   * @param targets stored outputs, and the state tensors into which they are written
   */
  constructor(
    session: InferenceSession,
    private readonly slot: SessionSlot,
    private readonly feeds: Readonly<Record<string, Bound>>,
    targets: Readonly<Record<string, Bound>>,
    fetch: readonly string[],
    mode: StoreMode,
  ) {
    this.#stores = Object.keys(targets).length > 0;
    const fed = new Set(mode === 'write' ? Object.values(feeds) : []);
    for (const [output, target] of Object.entries(targets)) {
      if (!fed.has(target)) this.#targets[output] = target;
      else this.#deferred.push({ target, scratch: (this.#targets[output] = { tensor: emptyLike(target.tensor) }) });
    }
    for (const input of session.inputMetadata) {
      if (!input.isTensor) continue;
      this.types.set(input.name, input.type as DataType);
      input.shape.forEach((dim, axis) => {
        if (typeof dim === 'string' && dim !== '') this.#symbols.set(dim, { input: input.name, axis });
      });
    }
    const outputs = new Map(session.outputMetadata.map((output) => [output.name, output]));
    this.#fetched = fetch.map((name) => {
      const output = outputs.get(outputName(name))!;
      if (!output.isTensor) throw new Error(`output '${name}' is not a tensor`);
      return { name, output: output.name, dtype: output.type as DataType, shape: output.shape };
    });
  }

  /** Runs the session once. @param given the inputs of this run alone, besides those that read state tensors */
  async run(given: Readonly<Record<string, Tensor>>): Promise<Record<string, TypedHostTensor>> {
    const response = await this.#run({ ...tensorsOf(this.feeds), ...given });
    for (const { target, scratch } of this.#deferred)
      (target.tensor.data as Float32Array).set(scratch.tensor.data as Float32Array);
    return response;
  }

  async #run(feeds: Readonly<Record<string, Tensor>>): Promise<Record<string, TypedHostTensor>> {
    const sized = this.#stores ? this.#allocate(feeds) : undefined;
    if (sized) {
      await this.#runWithoutCopies(feeds, { ...tensorsOf(this.#targets), ...sized });
      return this.#response(sized);
    }
    const fetches: Record<string, Tensor | null> = tensorsOf(this.#targets);
    for (const { output } of this.#fetched) fetches[output] = null;
    return this.#response((await (await this.slot.session()).run(feeds, fetches)) as Record<string, Tensor>);
  }

  /** Runs with the output NO_COPY_OUTPUT, which fails after all tensors are written: its error means that the run is complete. */
  async #runWithoutCopies(
    feeds: Readonly<Record<string, Tensor>>,
    fetches: Readonly<Record<string, Tensor>>,
  ): Promise<void> {
    try {
      await (await this.slot.session()).run(feeds, { [NO_COPY_OUTPUT]: null, ...fetches });
    } catch (error) {
      if (!(error as Error).message.startsWith('Non tensor type is temporarily not supported')) throw error;
    }
  }

  /** Allocates arrays for the fetched outputs; undefined if the size of one of them is known only after the run. */
  #allocate(feeds: Readonly<Record<string, Tensor>>): Record<string, Tensor> | undefined {
    const sizeOfSymbol = (symbol: string): number | undefined => {
      const source = this.#symbols.get(symbol);
      return source && feeds[source.input]?.dims[source.axis];
    };
    const tensors: Record<string, Tensor> = {};
    for (const { output, dtype, shape } of this.#fetched) {
      const dims = shape.map((dim) => (dim === '' ? undefined : evaluateDim(dim, sizeOfSymbol)));
      const size = dims.reduce<number>((product, dim) => product * (dim ?? NaN), 1);
      if (!(size > 0)) return undefined;
      tensors[output] = new Tensor(dtype as 'float32', newArray(dtype, size) as Float32Array, dims as number[]);
    }
    return tensors;
  }

  #response(results: Readonly<Record<string, Tensor>>): Record<string, TypedHostTensor> {
    const response: Record<string, TypedHostTensor> = {};
    for (const { name, output } of this.#fetched) {
      const { type, dims, data } = results[output]!;
      response[name] = { dtype: type as DataType, dims, data: data as TensorArray };
    }
    return response;
  }
}

function tensorsOf(bound: Readonly<Record<string, Bound>>): Record<string, Tensor> {
  const tensors: Record<string, Tensor> = {};
  for (const name in bound) tensors[name] = bound[name]!.tensor;
  return tensors;
}

function emptyLike({ type, dims, data }: Tensor): Tensor {
  return new Tensor(type as 'float32', newArray(type as DataType, data.length) as Float32Array, dims);
}
