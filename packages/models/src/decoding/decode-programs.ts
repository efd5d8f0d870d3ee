// Compiles a language model's decoding graphs, which all its `Episodes` (KV caches) share, when they are first needed.
import type { BoundProgram, Device, Kernel, Program, State } from '@bowyer/graph';
import type { CausalArchitecture } from '../architecture/architecture.js';
import type { StateSpec } from '../architecture/recurrence.js';
import { decodeGraph, type DecodeGraphOptions } from './decode-graph.js';
import { keyName, stateName, valueName } from './decode-names.js';
import { STATE_ROWS_PER_SLOT } from './state-rows.js';
import { areUnequal, roundedCapacity } from './capacity-classes.js';
import type { GenerateArgs, GenerateResult } from './generate-args.js';
import { PrefixPool } from './prefix-pool.js';
import { bankWiring, type AdapterBank } from '../lora/adapter-bank.js';
import { adapterWiring, type AdapterWeights } from '../lora/adapter-graph.js';
import { prepackedName } from '../decoder/forward-scope.js';
import { PrepackedPrograms, weightsAsIntegers, weightsToPrepack } from './prepacked-programs.js';
import {
  integerKind,
  integerRows,
  integerShapes,
  integerState,
  type WeightShapes,
} from '../quantization/integer-decoding.js';
import type { QuantizedWeight } from '../quantization/quantized-weight.js';
import { arrangeGraph, extendedName, residentDecodeGraph } from './resident-decode-graph.js';
import type { Sampler } from './sampling.js';
import {
  FEW_ROWS,
  isLargeWeight,
  ROWS_AS_COLUMNS,
  type OperandOrder,
  type RowRange,
} from '../layers/weight-product.js';
import { ComputeWeights } from '../weights/compute-weights.js';

interface DecodeProgramsOptions {
  device: Device;
  architecture: CausalArchitecture;
  parameters: State;
  maskedTokenIds: readonly number[];
  /** Quantised copies of frozen weights, which decoding reads instead of the parameters; not updated when these change. */
  quantized?: ReadonlyMap<string, QuantizedWeight>;
  /**
   * Whether ONNX Runtime prepacks float32 weights for fast products, which needs a second copy in memory. If omitted, weights of
   * 64 MiB to 4 GiB in total are packed, unless many rows are decoded at the same time.
   */
  packed?: boolean;
  /** The number of rows that are decoded at the same time, if the caller knows it. */
  slots?: number;
  /**
   * Whether linear layers multiply 8-bit integers (on the CPU only). The integers are computed from the weights when decoding
   * begins, and again when the parameters change.
   */
  integerProducts?: boolean;
  /** The LoRA adapters of a model whose other parameters are frozen. */
  adapters?: AdapterWeights;
  /** A bank of adapters, from which each turn selects one. */
  bank?: AdapterBank;
}

/**
 * The programs of the token loop: `prefill` reads prompts, `stepFew` or `stepMany`, by batch size, one token per row and step.
 * Packed or quantised weights have one program for all three, so as to be in memory once.
 */
type LoopPrograms = Record<'prefill' | 'stepFew' | 'stepMany', BoundProgram>;

interface BatchPrograms {
  programs: LoopPrograms;
  /** The ranges of batch sizes for which steps use `stepFew`; the batch may shrink while it is decoded. */
  few: readonly RowRange[];
  /** The number of different row capacities of the cache that the programs support. */
  classes: 1 | 2;
}

/** Holds a KV cache and, on a GPU, the program that moves its rows. */
export interface DecodeCache {
  state: State;
  arrange?: BoundProgram;
  /** Whether the arrays have room for shared prefixes (cache-rows.ts). */
  shares: boolean;
}

/** The sizes of a batch: the number of tokens of each row, new ones included, and the largest number of new tokens in a row. */
interface BatchSizes {
  lengths: readonly number[];
  width: number;
  /** Whether rows of the cache may have shared prefixes. */
  shares?: boolean;
}

/** The options in which the decoding graphs of one model differ. */
type GraphForm = Pick<Required<DecodeGraphOptions>, 'tokens' | 'operandOrder' | 'classes' | 'shares'>;

/** Compiles and caches the decoding graphs of a model. */
export class DecodePrograms {
  readonly #bound = new Map<string, Promise<BoundProgram>>();
  readonly #packed: PrepackedPrograms;
  readonly #weightsToPrepack: ReadonlySet<string>;
  readonly #integers: WeightShapes;
  /**
   * The number of different row capacities that the packed program supports: 2 as soon as a batch has needed two. Only one
   * session has packed weights, and a graph for two also computes batches with one, with the same numbers and at little cost.
   */
  #packedClasses: 1 | 2 = 1;
  #kernel?: Promise<Kernel<GenerateArgs, GenerateResult>>;
  #arrange?: Promise<Program>;

  constructor(private readonly options: DecodeProgramsOptions) {
    const { device, architecture, parameters, quantized, packed, slots, integerProducts = false } = options;
    const isOnCpu = device.kind === 'cpu';
    if (integerProducts && !isOnCpu)
      throw new Error(
        `decoding: a device of kind ${device.kind} cannot multiply matrices of integers; sample on 'cpu', or in float32`,
      );
    this.#packed = new PrepackedPrograms(parameters);
    this.#integers = integerProducts
      ? integerShapes(architecture)
      : isOnCpu
        ? weightsAsIntegers(quantized, packed)
        : new Map();
    const others = integerProducts ? this.#integers : quantized;
    this.#weightsToPrepack = isOnCpu ? weightsToPrepack(architecture, others, packed, slots) : new Set();
  }

  get architecture(): CausalArchitecture {
    return this.options.architecture;
  }

  get bank(): AdapterBank | undefined {
    return this.options.bank;
  }

  /** Whether batch widths and row capacities are rounded up, because the device keeps buffers for each shape. */
  get roundsSizes(): boolean {
    return this.options.device.gpuBuffers === 'exact';
  }

  get #isResident(): boolean {
    return this.options.device.residency === 'gpu';
  }

  /** Loads into the worker thread the kernel that runs the token loop (see generate-kernel.ts). */
  kernel(): Promise<Kernel<GenerateArgs, GenerateResult>> {
    return (this.#kernel ??= this.options.device.loadKernel<GenerateArgs, GenerateResult>(
      this.#isResident
        ? {
            module: new URL('./generate-resident-kernel.js', import.meta.url),
            name: 'generateResident',
            resident: true,
          }
        : { module: new URL('./generate-kernel.js', import.meta.url), name: 'generate' },
    ));
  }

  /** Opens an empty KV cache. Arrays on the host have room for the longest contexts; a cache on a GPU grows with its contexts. */
  async openCache(slots: number, contextLength: number, sharesPrefixes = false): Promise<DecodeCache> {
    const { device, architecture } = this.options;
    const { keyValueHeads, headSize, states = [] } = architecture;
    const shares = sharesPrefixes && !this.#isResident && states.length === 0;
    if (states.length > 0 && this.#isResident)
      throw new Error(
        `model_type '${String(architecture.config.model_type)}' has recurrent layers, whose states cannot be kept on a GPU\n` +
          '  generate with device.kind=cpu',
      );
    const names = this.#cacheNames();
    const size =
      (slots + Number(shares)) * keyValueHeads * roundedCapacity(this.#isResident ? 0 : contextLength) * headSize;
    const tensor = { shape: [size], dtype: device.precision };
    const state = await device.createZeros({
      ...Object.fromEntries(names.map((name) => [name, tensor])),
      ...Object.fromEntries(states.map((spec) => [stateName(spec.name), stateTensor(spec, slots)])),
    });
    if (!this.#isResident) return { state, shares };
    const program = await (this.#arrange ??= device.compile(arrangeGraph(names, headSize, device.precision)));
    const store = Object.fromEntries(names.map((name) => [`moved.${name}`, [state, name] as const]));
    return { state, shares, arrange: await program.bind({ store }) };
  }

  #cacheNames(): string[] {
    const { attentionLayers, layers } = this.architecture;
    const cached = attentionLayers ?? Array.from({ length: layers }, (_, layer) => layer);
    return cached.flatMap((layer) => [keyName(layer), valueName(layer)]);
  }

  /**
   * Reserves memory for a pool of prefixes' keys and values (prefix-pool.ts).
   *
   * @returns null if prefixes cannot be pooled: with recurrent layers, whose states cannot be cut, with a cache on a GPU, or if
   *   not a single block fits into `bytes`
   */
  async openPool(bytes: number): Promise<PrefixPool | null> {
    const { device, architecture } = this.options;
    if (this.#isResident || (architecture.states ?? []).length > 0) return null;
    return PrefixPool.open(device, architecture, { arrays: this.#cacheNames().length, bytes });
  }

  async closeCache({ state, arrange }: DecodeCache): Promise<void> {
    await arrange?.release();
    await this.options.device.release(state);
  }

  /**
   * Returns the programs for a batch. The caller calls `done` when it has decoded the batch.
   *
   * @param batch.lengths [rows] the number of tokens of each row, new ones included
   * @param batch.width the largest number of new tokens in a row
   */
  async forBatch(sampler: Sampler, { lengths, width, shares = false }: BatchSizes): Promise<BatchPrograms> {
    const rows = lengths.length;
    await ComputeWeights.of(this.options.device, this.options.parameters).refresh();
    // Weights are the left operand of products only in models with a large weight.
    const large = !this.#isResident && this.architecture.parameters.some(({ shape }) => isLargeWeight(shape));
    const classes = this.#isResident || !areUnequal(lengths, { positionBytes: this.#positionBytes }) ? 1 : 2;
    if (this.options.integerProducts || this.#weightsToPrepack.size > 0) {
      if (classes === 2) this.#packedClasses = 2;
      return this.#forPacked(sampler, large ? rows : 1, shares);
    }
    const program = (tokens: 1 | 'tokens', operandOrder: OperandOrder) =>
      this.#program(sampler, { tokens, operandOrder, classes, shares });
    if (this.options.quantized && !this.#isResident)
      return { programs: inAllRoles(await program('tokens', 'rows-left')), few: [], classes };
    const isFew = (tokens: number) => large && tokens > 1 && tokens < FEW_ROWS;
    const stepMany = await program(1, 'rows-left');
    const programs = {
      prefill: await program('tokens', isFew(rows * width) ? 'weights-left' : 'rows-left'),
      stepMany,
      stepFew: large && rows > 1 ? await program(1, 'weights-left') : stepMany,
    };
    return { programs, few: [[2, FEW_ROWS - 1]], classes };
  }

  async done({ programs }: BatchPrograms): Promise<void> {
    await this.#packed.done(programs.prefill);
  }

  /** Computes the size in bytes of the keys and values of one position in one layer. */
  get #positionBytes(): number {
    const { keyValueHeads, headSize } = this.architecture;
    return 2 * 4 * keyValueHeads * headSize;
  }

  /** Steps with few rows read the unpacked parameters: as the left operand of a product, a weight need not be packed. */
  async #forPacked(sampler: Sampler, rows: number, shares: boolean): Promise<BatchPrograms> {
    const classes = this.#packedClasses;
    const few =
      this.#integers.size > 0 || this.options.quantized ? [] : ROWS_AS_COLUMNS.filter(([from]) => from <= rows);
    const stepFew =
      few.length > 0
        ? await this.#program(sampler, { tokens: 1, operandOrder: 'weights-left', classes, shares })
        : undefined;
    const packed = await this.#packed.take(JSON.stringify([sampler, classes, shares]), () =>
      this.#compile(sampler, { tokens: 'tokens', operandOrder: 'rows-left', classes, shares }),
    );
    return { programs: { ...inAllRoles(packed), ...(stepFew && { stepFew }) }, few, classes };
  }

  /** Frees the packed copy of the weights, which the next call makes again. Calls that are running keep their copy. */
  rest(): Promise<void> {
    return this.#packed.release();
  }

  async release(): Promise<void> {
    await this.#packed.release();
    for (const promise of this.#bound.values()) {
      const bound = await promise;
      await bound.release();
      await bound.program.release();
    }
    this.#bound.clear();
    await (await this.#arrange)?.release();
    this.#arrange = undefined;
  }

  #program(sampler: Sampler, form: GraphForm): Promise<BoundProgram> {
    const key = JSON.stringify([sampler, form]);
    let bound = this.#bound.get(key);
    if (!bound) this.#bound.set(key, (bound = this.#compile(sampler, form)));
    return bound;
  }

  async #compile(sampler: Sampler, form: GraphForm): Promise<BoundProgram> {
    const { device, architecture, parameters, maskedTokenIds, quantized, adapters, bank } = this.options;
    const packed = form.operandOrder === 'rows-left' ? this.#weightsToPrepack : new Set<string>();
    const integers = this.#integers.size > 0 ? { shapes: this.#integers, kind: await integerKind(device) } : undefined;
    const shared = { sampler, ...form, maskedTokenIds };
    const options = { ...shared, quantized, integers, packed, adapters: adapters?.layout, bank: bank?.layout };
    const graph = this.#isResident
      ? residentDecodeGraph(architecture, { ...options, storedType: device.precision })
      : decodeGraph(architecture, options);
    const working = await ComputeWeights.of(device, parameters).state();
    const used = architecture.parameters.filter(({ name }) => graph.inputs.has(name));
    const state = Object.fromEntries(used.map(({ name }) => [name, [working, name] as const]));
    const constants = Object.fromEntries([...packed].map((name) => [prepackedName(name), [parameters, name] as const]));
    const caches = [...graph.inputs.keys()].filter((name) => graph.outputs.has(extendedName(name)));
    const inPlace = Object.fromEntries(caches.map((name) => [extendedName(name), name]));
    const wiring = { state: { ...state, ...adapterWiring(adapters), ...bankWiring(bank, graph.inputs) }, inPlace };
    const program = await device.compile(graph);
    if (!integers) return program.bind({ ...wiring, constants });
    const rows = await integerRows(device, integers.shapes, { parameters, quantized });
    const whole = await integerState(device, rows, integers.kind);
    const wholeNumbers = Object.fromEntries(whole.names.map((name) => [name, [whole, name] as const]));
    try {
      return await program.bind({ ...wiring, constants: { ...constants, ...wholeNumbers } });
    } finally {
      await device.release(whole); // the session has copied them
    }
  }
}

/** Returns shape and type of the tensor that holds one recurrent state for all slots. */
const stateTensor = ({ shape }: StateSpec, slots: number) => ({
  shape: [STATE_ROWS_PER_SLOT * slots * shape.reduce((product, size) => product * size, 1)],
  dtype: 'float32' as const,
});

const inAllRoles = (bound: BoundProgram): LoopPrograms => ({ prefill: bound, stepFew: bound, stepMany: bound });
