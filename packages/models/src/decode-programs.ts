// The compiled decoding graphs of a language model, made when first needed and shared by all its episodes.
import type { BoundProgram, Device, Kernel, State } from '@bowyer/graph';
import type { CausalArchitecture } from './architecture.js';
import { decodeGraph } from './decode-graph.js';
import type { GenerateArgs, GenerateResult } from './kernels/generate-kernel.js';
import { adapterWiring, type AdapterWeights } from './lora/adapter-graph.js';
import type { QuantizedWeight } from './quantization/quantized-weight.js';
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

export class DecodePrograms {
  readonly #bound = new Map<string, Promise<BoundProgram>>();
  #kernel?: Promise<Kernel<GenerateArgs, GenerateResult>>;

  constructor(private readonly options: DecodeProgramsOptions) {}

  get architecture(): CausalArchitecture {
    return this.options.architecture;
  }

  /** The token loop itself (see kernels/generate-kernel.ts). */
  kernel(): Promise<Kernel<GenerateArgs, GenerateResult>> {
    return (this.#kernel ??= this.options.device.loadKernel<GenerateArgs, GenerateResult>({
      module: new URL('./kernels/generate-kernel.js', import.meta.url),
      name: 'generate',
    }));
  }

  /** Programs for a batch of `rows` whose longest new part has `width` tokens. */
  async forBatch(sampler: Sampler, rows: number, width: number): Promise<LoopPrograms> {
    // With small weights both operand orders give the same graph; products with quantised ones have but one order.
    const large = !this.options.quantized && this.architecture.parameters.some(({ shape }) => isLargeWeight(shape));
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
    const graph = decodeGraph(architecture, options);
    const used = architecture.parameters.filter(({ name }) => graph.inputs.has(name));
    const state = Object.fromEntries(used.map(({ name }) => [name, [parameters, name] as const]));
    return (await device.compile(graph)).bind({ state: { ...state, ...adapterWiring(adapters) } });
  }
}
