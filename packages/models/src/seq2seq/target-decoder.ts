// Compiles the graphs by which an encoder-decoder generates targets when they are first needed, and runs the token loop on the
// device.
import type { BoundProgram, Device, GraphBuilder, Kernel, State } from '@bowyer/graph';
import type { Sampler } from '../decoding/sampling.js';
import { FEW_ROWS, type OperandOrder } from '../layers/weight-product.js';
import type { DecodedTarget, DecodeLoopArgs } from './decode-loop.js';
import type { EncoderDecoder } from './encoder-decoder.js';
import { encodeGraph, stepGraph } from './seq2seq-graphs.js';

export class TargetDecoder {
  readonly #bound = new Map<string, Promise<BoundProgram>>();
  #kernel?: Promise<Kernel<DecodeLoopArgs, DecodedTarget[]>>;

  constructor(
    private readonly device: Device,
    private readonly architecture: EncoderDecoder,
    private readonly parameters: State,
  ) {}

  /** Generates one target per source, all in parallel. */
  async decode(args: DecodeLoopArgs, sampler: Sampler): Promise<DecodedTarget[]> {
    const order = this.#order(args.rows * args.sourceTokens);
    const programs = {
      encode: await this.#boundOnce(`encode ${order}`, () => encodeGraph(this.architecture, order)),
      step: await this.#step(sampler, args.rows),
    };
    this.#kernel ??= this.device.loadKernel<DecodeLoopArgs, DecodedTarget[]>({
      module: new URL('./decode-loop-kernel.js', import.meta.url),
      name: 'decodeTargets',
    });
    return (await this.#kernel).call({ states: {}, programs, args });
  }

  #order(rows: number): OperandOrder {
    return this.device.residency === 'host' && rows > 1 && rows < FEW_ROWS ? 'weights-left' : 'rows-left';
  }

  #step(sampler: Sampler, rows: number): Promise<BoundProgram> {
    const order = this.#order(rows);
    const key = JSON.stringify([sampler, order]);
    return this.#boundOnce(key, () => stepGraph(this.architecture, sampler, order));
  }

  #boundOnce(key: string, graph: () => GraphBuilder): Promise<BoundProgram> {
    let bound = this.#bound.get(key);
    if (!bound) this.#bound.set(key, (bound = this.#bind(graph())));
    return bound;
  }

  async #bind(graph: GraphBuilder): Promise<BoundProgram> {
    const used = this.architecture.parameters.filter(({ name }) => graph.inputs.has(name));
    const state = Object.fromEntries(used.map(({ name }) => [name, [this.parameters, name] as const]));
    return (await this.device.compile(graph, { precision: 'float32' })).bind({ state });
  }

  async release(): Promise<void> {
    for (const bound of this.#bound.values()) {
      const { program } = await bound;
      await (await bound).release();
      await program.release();
    }
    this.#bound.clear();
  }
}
