// Runs the token loop of an encoder-decoder in the device's worker thread, which also has the keys and values, so that no message
// crosses threads between tokens.
import type { HostKernel, KernelProgram } from '@bowyer/graph';
import {
  TargetLoop,
  type DecodedTarget,
  type DecodeLoopArgs,
  type LoopInputs,
  type LoopOutputs,
} from './decode-loop.js';

/** The initial number of positions in a cache, which doubles when they are used up. */
const FIRST_CAPACITY = 16;

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
  const cache = new TargetCache(programs.step, source, args);
  const loop = new TargetLoop(args);
  while (loop.isRunning) {
    loop.take(await cache.step(loop.inputs(), loop.rows, loop.position));
    const kept = loop.shrink();
    if (kept) cache.keep(kept);
  }
  return loop.targets;
};

/** Holds the self-attention's keys and values of the targets so far, [rows, heads, capacity, headSize] per layer. */
class TargetCache {
  #capacity = FIRST_CAPACITY;
  #arrays: Float32Array[];

  constructor(
    private readonly program: KernelProgram,
    /** The inputs of a step that come from the source; row r of them belongs to row r of the batch. */
    private readonly source: Record<string, Tensor>,
    private readonly shape: Pick<DecodeLoopArgs, 'rows' | 'layers' | 'heads' | 'headSize'>,
  ) {
    const { rows, layers, heads, headSize } = shape;
    this.#arrays = Array.from({ length: 2 * layers }, () => new Float32Array(rows * heads * this.#capacity * headSize));
  }

  /** Runs a decoding step for the `rows` rows of the batch, and stores the keys and values of the token at `position`. */
  async step(inputs: LoopInputs, rows: number, position: number): Promise<LoopOutputs> {
    const outputs = await this.program.run({ inputs: { ...inputs, ...this.source, ...this.#inputs(rows) } });
    this.#append(outputs.fresh.data as Float32Array, rows, position);
    return outputs;
  }

  #inputs(rows: number): LoopInputs {
    const dims = [rows, this.shape.heads, this.#capacity, this.shape.headSize];
    return Object.fromEntries(
      this.#arrays.map((data, i) => [`${i % 2 === 0 ? 'key' : 'value'}.${Math.floor(i / 2)}`, { dims, data }]),
    );
  }

  /** Appends the new keys and values to the cache. @param fresh [2 · layers, rows, heads, 1, headSize] */
  #append(fresh: Float32Array, rows: number, position: number): void {
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

  /** Removes all batch rows except those with these indices, which are kept in this order. */
  keep(rows: readonly number[]): void {
    const { heads, headSize } = this.shape;
    this.#arrays = this.#arrays.map((array) => keptRows(array, heads * this.#capacity * headSize, rows));
    for (const tensor of Object.values(this.source)) {
      tensor.data = keptRows(tensor.data, tensor.data.length / tensor.dims[0], rows);
      tensor.dims[0] = rows.length;
    }
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
