// Compiles the graphs that generate targets when they are first needed, and runs the token loop over them on the device.
import type { BoundProgram, Device, GraphBuilder, Kernel, Program, State } from '@bowyer/graph';
import { arrangeGraph } from '../decoding/resident-decode-graph.js';
import type { Sampler } from '../decoding/sampling.js';
import { FEW_ROWS, type OperandOrder } from '../layers/weight-product.js';
import { FIRST_CAPACITY, type DecodedTarget, type DecodeLoopArgs } from './decode-loop.js';
import type { EncoderDecoder } from './encoder-decoder.js';
import { crossName, encodeGraph, stepGraph } from './seq2seq-graphs.js';
import { extendedName, selfName, type Residency } from './step-cache.js';

const kinds = ['key', 'value'] as const;

/** Generates targets. */
export class TargetDecoder {
  readonly #programs = new Map<string, Promise<Program>>();
  readonly #bound = new Map<string, Promise<BoundProgram>>();
  #kernel?: Promise<Kernel<DecodeLoopArgs, DecodedTarget[]>>;

  constructor(
    private readonly device: Device,
    private readonly architecture: EncoderDecoder,
    private readonly parameters: State,
  ) {}

  get #residency(): Residency {
    return this.device.residency;
  }

  /** Generates one target per source, all in parallel. */
  async decode(args: DecodeLoopArgs, sampler: Sampler): Promise<DecodedTarget[]> {
    const step = await this.#step(sampler, args.rows);
    if (this.#residency === 'gpu') return this.#decodeResident(args, step);
    const order = this.#order(args.rows * args.sourceTokens);
    const encode = await this.#boundOnce(`encode ${order}`, () => encodeGraph(this.architecture, order));
    return (await this.#loop()).call({ states: {}, programs: { encode, step }, args });
  }

  /** Decodes on the GPU, where keys and values are in states of this call alone. */
  async #decodeResident(args: DecodeLoopArgs, step: BoundProgram): Promise<DecodedTarget[]> {
    const { device, architecture } = this;
    const { heads, headSize } = architecture;
    const [own, cross] = [this.#names(selfName), this.#names(crossName)];
    const zeros = (names: readonly string[], size: number) =>
      device.createZeros(Object.fromEntries(names.map((name) => [name, [size]])));
    const targets = await zeros(own, args.rows * heads * FIRST_CAPACITY * headSize);
    const sources = await zeros(cross, 1); // a placeholder, which the encoder's result replaces
    const storeIn = (state: State, names: readonly string[], prefix = '') =>
      Object.fromEntries(names.map((name) => [`${prefix}${name}`, [state, name] as const]));
    const encode = () => encodeGraph(architecture, 'rows-left', 'gpu');
    const encoder = await this.#program('encode', encode);
    const bound = {
      encode: await encoder.bind({ state: this.#weightsOf(encoder), store: storeIn(sources, cross) }),
      arrangeTargets: await this.#arrange(own, storeIn(targets, own, 'moved.')),
      arrangeSources: await this.#arrange(cross, storeIn(sources, cross, 'moved.')),
    };
    try {
      return await (await this.#loop()).call({ states: { targets, sources }, programs: { ...bound, step }, args });
    } finally {
      for (const program of Object.values(bound)) await program.release();
      for (const state of [targets, sources]) await device.release(state);
    }
  }

  async #arrange(names: readonly string[], store: Record<string, readonly [State, string]>): Promise<BoundProgram> {
    const program = await this.#program(names.join(), () => arrangeGraph(names, this.architecture.headSize));
    return program.bind({ store });
  }

  #names(nameOf: (kind: 'key' | 'value', layer: number) => string): string[] {
    const { decoderLayers } = this.architecture;
    return Array.from({ length: decoderLayers }, (_, layer) => kinds.map((kind) => nameOf(kind, layer))).flat();
  }

  #loop(): Promise<Kernel<DecodeLoopArgs, DecodedTarget[]>> {
    return (this.#kernel ??= this.device.loadKernel<DecodeLoopArgs, DecodedTarget[]>(
      this.#residency === 'gpu'
        ? {
            module: new URL('./resident-loop-kernel.js', import.meta.url),
            name: 'decodeTargetsResident',
            resident: true,
          }
        : { module: new URL('./decode-loop-kernel.js', import.meta.url), name: 'decodeTargets' },
    ));
  }

  #order(rows: number): OperandOrder {
    return this.#residency === 'host' && rows > 1 && rows < FEW_ROWS ? 'weights-left' : 'rows-left';
  }

  #step(sampler: Sampler, rows: number): Promise<BoundProgram> {
    const order = this.#order(rows);
    const key = JSON.stringify([sampler, order]);
    return this.#boundOnce(key, () => stepGraph(this.architecture, sampler, order, this.#residency));
  }

  #boundOnce(key: string, graph: () => GraphBuilder): Promise<BoundProgram> {
    let bound = this.#bound.get(key);
    if (!bound) this.#bound.set(key, (bound = this.#bind(key, graph)));
    return bound;
  }

  async #bind(key: string, graph: () => GraphBuilder): Promise<BoundProgram> {
    const program = await this.#program(key, graph);
    const caches = [...program.inputs.keys()].filter((name) => program.outputs.has(extendedName(name)));
    const inPlace = Object.fromEntries(caches.map((name) => [extendedName(name), name]));
    return program.bind({ state: this.#weightsOf(program), inPlace });
  }

  #program(key: string, graph: () => GraphBuilder): Promise<Program> {
    let program = this.#programs.get(key);
    if (!program) this.#programs.set(key, (program = this.device.compile(graph(), { precision: 'float32' })));
    return program;
  }

  #weightsOf(program: Program): Record<string, readonly [State, string]> {
    const used = this.architecture.parameters.filter(({ name }) => program.inputs.has(name));
    return Object.fromEntries(used.map(({ name }) => [name, [this.parameters, name] as const]));
  }

  async release(): Promise<void> {
    for (const bound of this.#bound.values()) await (await bound).release();
    for (const program of this.#programs.values()) await (await program).release();
    this.#bound.clear();
    this.#programs.clear();
  }
}
