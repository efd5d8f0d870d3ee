// Runs the token loop over a KV cache on a GPU. The decoding graph writes new keys and values into the cache's buffers on the
// GPU, so that only ids and probabilities are transferred. Rows of the cache are moved by a gather on the GPU.
import type { HostKernel, KernelProgram } from '@bowyer/graph';
import { BUFFER_STEPS, roundedSize } from '../batching/few-sizes.js';
import { largest, roundedCapacity } from './capacity-classes.js';
import type { GenerateArgs, GenerateResult } from './generate-args.js';
import type { KernelInputs, LoopCache } from './loop-cache.js';
import type { PrefixCopy } from './shared-prefixes.js';
import { generateWith } from './token-loop.js';

type Role = 'prefill' | 'stepFew' | 'stepMany' | 'arrange';

export const generateResident: HostKernel<'cache', GenerateArgs, Promise<GenerateResult>, Role> = async ({
  states,
  programs,
  args,
}) => {
  const cache = new ResidentCache(Object.keys(states.cache), programs.arrange, args);
  for (const [a, b] of args.swaps) cache.swap(a, b);
  return generateWith(cache, programs, args);
};

/**
 * Holds keys and values as [rows, heads, capacity, headSize] per array; position c of a row is in column c. The last column
 * belongs to no position: padding and finished rows write into it, and the causal mask hides it from every query.
 */
class ResidentCache implements LoopCache {
  readonly lengths: Int32Array;
  #capacity: number;
  /** [rows] the index of the GPU's row with each row's data; differs from the row's index between a swap and the next move. */
  #places: number[];

  constructor(
    private readonly names: readonly string[],
    private readonly arrange: KernelProgram,
    private readonly args: GenerateArgs,
  ) {
    this.lengths = args.lengths;
    this.#capacity = args.geometry.capacities[0];
    this.#places = Array.from(args.lengths, (_, row) => row);
  }

  get capacities(): Int32Array {
    return this.lengths.map(() => this.#capacity);
  }

  /** Swaps two rows; their data is moved before the graph runs next. */
  swap(a: number, b: number): void {
    for (const list of [this.#places, this.lengths]) [list[a], list[b]] = [list[b], list[a]];
  }

  /** Data moves before the graph runs next; numbers after a copied prefix are overwritten before they are read. */
  copy(copies: readonly PrefixCopy[]): void {
    for (const { from, to, length } of copies) {
      this.#places[to] = this.#places[from];
      this.lengths[to] = length;
    }
  }

  async run(program: KernelProgram, inputs: KernelInputs, width: number, counts: Int32Array) {
    await this.#makeRoom(largest(counts.map((count, row) => this.lengths[row] + count)));
    const columns = Float32Array.from({ length: this.#capacity }, (_, column) => column);
    const outputs = await program.run({
      inputs: {
        ...inputs,
        columns: { dims: [this.#capacity], data: columns },
        write_at: this.#writes(width, counts),
      },
      views: this.#views(counts.length),
    });
    counts.forEach((count, row) => (this.lengths[row] += count));
    return outputs;
  }

  async settle(): Promise<void> {
    if (this.#places.some((place, row) => place !== row)) await this.#arrange(this.#capacity);
  }

  /** Makes room for `positions` and the padding column; shrinks the cache if less than half of it is needed. */
  async #makeRoom(positions: number): Promise<void> {
    const needed = Math.max(positions, largest(this.lengths)) + 1;
    const capacity = roundedCapacity(this.args.roundsSizes ? roundedSize(needed, BUFFER_STEPS) : needed);
    const fits = capacity <= this.#capacity && 2 * capacity > this.#capacity;
    if (!fits) await this.#arrange(capacity);
    else await this.settle();
  }

  /** Rearranges the cache by one gather per array, which copies the rows to their new order and the new capacity. */
  async #arrange(capacity: number): Promise<void> {
    const { heads } = this.args.geometry;
    const rows = this.#places.length;
    const index = new Int32Array(rows * heads * capacity);
    let to = 0;
    for (const place of this.#places) {
      for (let head = 0; head < heads; head++) {
        const from = (place * heads + head) * this.#capacity;
        // Columns beyond the old capacity are filled with copies of the last column, since any finite number will do: they are
        // written before they are read.
        for (let column = 0; column < capacity; column++) index[to++] = from + Math.min(column, this.#capacity - 1);
      }
    }
    const dims = [rows * heads * this.#capacity, this.args.geometry.headSize];
    await this.arrange.run({
      inputs: { index: { dims: [index.length], data: index } },
      views: Object.fromEntries(this.names.map((name) => [name, ['cache', name, dims] as const])),
    });
    this.#capacity = capacity;
    this.#places = this.#places.map((_, row) => row);
  }

  /** Computes the row, the head and the column in the cache of every new key and value, [rows · heads · tokens, 3]. */
  #writes(width: number, counts: Int32Array) {
    const { heads } = this.args.geometry;
    const places: number[] = [];
    counts.forEach((count, row) => {
      for (let head = 0; head < heads; head++)
        for (let t = 0; t < width; t++) places.push(row, head, t < count ? this.lengths[row] + t : this.#capacity - 1);
    });
    return { dims: [places.length / 3, 3], data: BigInt64Array.from(places, BigInt) };
  }

  #views(rows: number) {
    const { heads, headSize } = this.args.geometry;
    const dims = [rows, heads, this.#capacity, headSize];
    return Object.fromEntries(this.names.map((name) => [name, ['cache', name, dims] as const]));
  }
}
