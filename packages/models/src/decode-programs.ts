// The compiled decoding graphs of a language model, made when first needed and shared by all its episodes.
import type { BoundProgram, Device, Kernel, Program, State } from '@bowyer/graph';
import type { CausalArchitecture } from './architecture.js';
import { decodeGraph, keyName, valueName } from './decode-graph.js';
import { roundedCapacity } from './kernels/cache-rows.js';
import type { GenerateArgs, GenerateResult } from './kernels/generate-kernel.js';
import { adapterWiring, type AdapterWeights } from './lora/adapter-graph.js';
import type { QuantizedWeight } from './quantization/quantized-weight.js';
import { arrangeGraph, extendedName, residentDecodeGraph } from './resident-decode-graph.js';
import type { Sampler } from './sampling.js';
import { FEW_ROWS, isLargeWeight, type OperandOrder } from './weight-product.js';

export interface DecodeProgramsOptions {
  device: Device;
  architecture: CausalArchitecture;
  parameters: State;
  maskedTokenIds: readonly number[];
  /** Copies of frozen weights in fewer bits, which decoding then reads instead; not updated when parameters change. */
  quantized?: ReadonlyMap<string, QuantizedWeight>;
  /** LoRA beside the parameters, which are frozen then. */
  adapters?: AdapterWeights;
}

/** What the token loop runs: `prefill` once per utterance, then a step per token in the form that suits the batch. */
export type LoopPrograms = Record<'prefill' | 'stepFew' | 'stepMany', BoundProgram>;

/** A key-value cache, and where it lives on a GPU the program that moves its rows. */
export interface DecodeCache {
  state: State;
  arrange?: BoundProgram;
}

export class DecodePrograms {
  readonly #bound = new Map<string, Promise<BoundProgram>>();
  #kernel?: Promise<Kernel<GenerateArgs, GenerateResult>>;
  #arrange?: Promise<Program>;

  constructor(private readonly options: DecodeProgramsOptions) {}

  get architecture(): CausalArchitecture {
    return this.options.architecture;
  }

  /** Keys and values stay on the GPU? */
  get #isResident(): boolean {
    return this.options.device.residency === 'gpu';
  }

  /** The token loop itself (see kernels/generate-kernel.ts). */
  kernel(): Promise<Kernel<GenerateArgs, GenerateResult>> {
    return (this.#kernel ??= this.options.device.loadKernel<GenerateArgs, GenerateResult>(
      this.#isResident
        ? {
            module: new URL('./kernels/generate-resident-kernel.js', import.meta.url),
            name: 'generateResident',
            resident: true,
          }
        : { module: new URL('./kernels/generate-kernel.js', import.meta.url), name: 'generate' },
    ));
  }

  /** Empty contexts. The host's arrays have room for the longest ones; on a GPU the cache grows as they do. */
  async openCache(slots: number, contextLength: number): Promise<DecodeCache> {
    const { device, architecture } = this.options;
    const { layers, keyValueHeads, headSize } = architecture;
    const names = Array.from({ length: layers }, (_, layer) => [keyName(layer), valueName(layer)]).flat();
    const size = slots * keyValueHeads * roundedCapacity(this.#isResident ? 0 : contextLength) * headSize;
    const state = await device.createZeros(Object.fromEntries(names.map((name) => [name, [size]])));
    if (!this.#isResident) return { state };
    const program = await (this.#arrange ??= device.compile(arrangeGraph(names, headSize)));
    const store = Object.fromEntries(names.map((name) => [`moved.${name}`, [state, name] as const]));
    return { state, arrange: await program.bind({ store }) };
  }

  async closeCache({ state, arrange }: DecodeCache): Promise<void> {
    await arrange?.release();
    await this.options.device.release(state);
  }

  /** Programs for a batch of `rows` whose longest new part has `width` tokens. */
  async forBatch(sampler: Sampler, rows: number, width: number): Promise<LoopPrograms> {
    // With small weights both operand orders give the same graph; products with quantised ones have but one order.
    const large =
      !this.#isResident &&
      !this.options.quantized &&
      this.architecture.parameters.some(({ shape }) => isLargeWeight(shape));
    const isFew = (tokens: number) => large && tokens > 1 && tokens < FEW_ROWS;
    const stepMany = await this.#program(sampler, 1, 'rows-left');
    return {
      prefill: await this.#program(sampler, 'tokens', isFew(rows * width) ? 'weights-left' : 'rows-left'),
      stepMany,
      // A larger batch may shrink to a few rows on the way.
      stepFew: large && rows > 1 ? await this.#program(sampler, 1, 'weights-left') : stepMany,
    };
  }

  /** Frees the compiled graphs. */
  async release(): Promise<void> {
    for (const promise of this.#bound.values()) {
      const bound = await promise;
      await bound.release();
      await bound.program.release();
    }
    this.#bound.clear();
    await (await this.#arrange)?.release();
    this.#arrange = undefined;
  }

  #program(sampler: Sampler, tokens: 1 | 'tokens', operandOrder: OperandOrder): Promise<BoundProgram> {
    const key = JSON.stringify([sampler, tokens, operandOrder]);
    let bound = this.#bound.get(key);
    if (!bound) this.#bound.set(key, (bound = this.#compile(sampler, tokens, operandOrder)));
    return bound;
  }

  async #compile(sampler: Sampler, tokens: 1 | 'tokens', operandOrder: OperandOrder): Promise<BoundProgram> {
    const { device, architecture, parameters, maskedTokenIds, quantized, adapters } = this.options;
    const options = { sampler, operandOrder, tokens, maskedTokenIds, quantized, adapters: adapters?.layout };
    const graph = this.#isResident ? residentDecodeGraph(architecture, options) : decodeGraph(architecture, options);
    const used = architecture.parameters.filter(({ name }) => graph.inputs.has(name));
    const state = Object.fromEntries(used.map(({ name }) => [name, [parameters, name] as const]));
    const caches = [...graph.inputs.keys()].filter((name) => graph.outputs.has(extendedName(name)));
    const inPlace = Object.fromEntries(caches.map((name) => [extendedName(name), name]));
    return (await device.compile(graph)).bind({ state: { ...state, ...adapterWiring(adapters) }, inPlace });
  }
}
