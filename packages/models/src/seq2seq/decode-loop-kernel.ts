// The token loop of one target per source, inside the device's worker: the source once, then a token of every row at a
// time, whose keys and values are written into the cache. No message crosses threads between two tokens.
import type { HostKernel, KernelProgram } from '@bowyer/graph';

export interface DecodeLoopArgs {
  rows: number;
  /** Tokens of the longest source; the others are padded to it. */
  sourceTokens: number;
  /** [rows · sourceTokens] */
  sourceIds: Int32Array;
  /** 1 for a token, 0 for padding. */
  sourceMask: Float32Array;
  layers: number;
  heads: number;
  headSize: number;
  startId: number;
  /** Said first and, where a target reaches its longest length, last; −1: nothing is forced. */
  forcedFirst: number;
  forcedLast: number;
  /** [rows · maxNewTokens] in [0, 1); empty for greedy graphs, which have no use for them. */
  uniforms: Float32Array;
  temperature?: number;
  topP?: number;
  maxNewTokens: number;
  terminatorIds: readonly number[];
}

export interface DecodedTarget {
  /** With the terminator, if it ended by one. */
  tokens: number[];
  logprobs: number[];
  samplingLogprobs: number[];
  terminated: boolean;
}

type KernelInputs = NonNullable<NonNullable<Parameters<KernelProgram['run']>[0]>['inputs']>;
interface Tensor {
  dims: number[];
  data: Float32Array;
}

export const decodeTargets: HostKernel<never, DecodeLoopArgs, Promise<DecodedTarget[]>, 'encode' | 'step'> = async ({
  programs,
  args,
}) => {
  const { rows, sourceTokens } = args;
  const mask = { dims: [rows, sourceTokens], data: args.sourceMask };
  const encoded = await programs.encode.run({
    inputs: { source_ids: { dims: [rows, sourceTokens], data: args.sourceIds }, source_mask: mask },
  });
  const source: Record<string, Tensor> = { source_mask: { ...mask, data: mask.data.slice() } };
  for (const [name, { dims, data }] of Object.entries(encoded))
    source[name] = { dims: [...dims], data: data as Float32Array };

  const loop = new TargetLoop(args, source);
  while (loop.isRunning) loop.take(await programs.step.run({ inputs: loop.inputs() }));
  return loop.targets;
};

class TargetLoop {
  readonly targets: DecodedTarget[];
  /** Indices into `targets`: whose target each row of the batch is. */
  #batch: number[];
  readonly #cache: SelfCache;
  /** Tokens said so far, the same in every row that still takes part. */
  #position = 0;

  constructor(
    private readonly args: DecodeLoopArgs,
    /** What steps read of the source; row r belongs to row r of the batch. */
    private readonly source: Record<string, Tensor>,
  ) {
    this.targets = Array.from({ length: args.rows }, () => ({
      tokens: [],
      logprobs: [],
      samplingLogprobs: [],
      terminated: false,
    }));
    this.#batch = this.targets.map((_, index) => index);
    this.#cache = new SelfCache(args);
  }

  get isRunning(): boolean {
    return this.#batch.some((index) => this.#goesOn(index));
  }

  #goesOn(index: number): boolean {
    return !this.targets[index].terminated && this.#position < this.args.maxNewTokens;
  }

  inputs(): KernelInputs {
    const { startId, forcedFirst, forcedLast, uniforms, temperature, topP, maxNewTokens } = this.args;
    const rows = this.#batch.length;
    const ids = Int32Array.from(this.#batch, (index) => this.targets[index].tokens.at(-1) ?? startId);
    const own = Float32Array.from(this.#batch, (index) => uniforms[index * maxNewTokens + this.#position]);
    const first = this.#position === 0 ? forcedFirst : -1;
    const forced = first < 0 && this.#position === maxNewTokens - 1 ? forcedLast : first;
    return {
      ids: { dims: [rows, 1], data: ids },
      position: { dims: [1], data: BigInt64Array.of(BigInt(this.#position)) },
      forced: { dims: [], data: BigInt64Array.of(BigInt(forced)) },
      ...this.source,
      ...this.#cache.inputs(rows),
      ...(uniforms.length > 0 && { uniforms: { dims: [rows], data: own } }),
      ...(temperature !== undefined && { temperature: { dims: [], data: Float32Array.of(temperature) } }),
      ...(topP !== undefined && { top_p: { dims: [], data: Float32Array.of(topP) } }),
    };
  }

  /** Adds what was said to the targets that go on; finished rows leave once they are half of the batch. */
  take(outputs: Awaited<ReturnType<KernelProgram['run']>>): void {
    this.#cache.append(outputs.fresh.data as Float32Array, this.#batch.length, this.#position);
    this.#batch.forEach((index, row) => {
      if (!this.#goesOn(index)) return;
      const target = this.targets[index];
      const token = Number(outputs.tokens.data[row]);
      target.tokens.push(token);
      target.logprobs.push(Number(outputs.logprobs.data[row]));
      target.samplingLogprobs.push(Number(outputs.sampling_logprobs.data[row]));
      target.terminated = this.args.terminatorIds.includes(token);
    });
    this.#position++;
    const kept = this.#batch.flatMap((index, row) => (this.#goesOn(index) ? [row] : []));
    if (kept.length > 0 && 2 * kept.length <= this.#batch.length) this.#keep(kept);
  }

  #keep(rows: readonly number[]): void {
    this.#batch = rows.map((row) => this.#batch[row]);
    this.#cache.keep(rows);
    for (const tensor of Object.values(this.source)) {
      const size = tensor.data.length / tensor.dims[0];
      tensor.data = keptRows(tensor.data, size, rows);
      tensor.dims[0] = rows.length;
    }
  }
}

/** Keys and values of the targets so far, [rows, heads, capacity, headSize] per layer. */
class SelfCache {
  #capacity = 16;
  #arrays: Float32Array[];

  constructor(private readonly shape: Pick<DecodeLoopArgs, 'rows' | 'layers' | 'heads' | 'headSize'>) {
    const { rows, layers, heads, headSize } = shape;
    this.#arrays = Array.from({ length: 2 * layers }, () => new Float32Array(rows * heads * this.#capacity * headSize));
  }

  inputs(rows: number): KernelInputs {
    const dims = [rows, this.shape.heads, this.#capacity, this.shape.headSize];
    return Object.fromEntries(
      this.#arrays.map((data, i) => [`${i % 2 === 0 ? 'key' : 'value'}.${Math.floor(i / 2)}`, { dims, data }]),
    );
  }

  /** @param fresh [2 · layers, rows, heads, 1, headSize] */
  append(fresh: Float32Array, rows: number, position: number): void {
    if (position >= this.#capacity) this.#grow(rows);
    const { heads, headSize } = this.shape;
    const lines = rows * heads;
    this.#arrays.forEach((array, i) => {
      for (let line = 0; line < lines; line++) {
        const from = (i * lines + line) * headSize;
        array.set(fresh.subarray(from, from + headSize), (line * this.#capacity + position) * headSize);
      }
    });
  }

  keep(rows: readonly number[]): void {
    const { heads, headSize } = this.shape;
    this.#arrays = this.#arrays.map((array) => keptRows(array, heads * this.#capacity * headSize, rows));
  }

  #grow(rows: number): void {
    const { heads, headSize } = this.shape;
    const [size, larger] = [this.#capacity * headSize, 2 * this.#capacity * headSize];
    this.#arrays = this.#arrays.map((array) => {
      const grown = new Float32Array(rows * heads * larger);
      for (let line = 0; line < rows * heads; line++)
        grown.set(array.subarray(line * size, (line + 1) * size), line * larger);
      return grown;
    });
    this.#capacity *= 2;
  }
}

function keptRows(data: Float32Array, size: number, rows: readonly number[]): Float32Array {
  const kept = new Float32Array(rows.length * size);
  rows.forEach((row, i) => kept.set(data.subarray(row * size, (row + 1) * size), i * size));
  return kept;
}
