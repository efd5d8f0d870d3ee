// The key-value cache as the worker sees it: flat arrays read as [rows, heads, capacity, headSize], two per layer. Rows
// are packed at the current capacity from the array's start, so that the first rows are a prefix the graph can read in
// place; a change of capacity moves them inside the array.
import { scatterBlocks } from '../wasm/copy-blocks.js';
import type { PrefixCopy } from './shared-prefixes.js';

/** Sizes of the cache. `capacity` changes over time, the arrays have room for the largest. */
export interface CacheGeometry {
  /** The heads of keys and values. */
  heads: number;
  headSize: number;
  /** Positions per row that the packing has at present. */
  capacity: number;
  /** Positions per row that the arrays have room for. */
  largestCapacity: number;
}

/** Capacities are multiples of this: moving all rows costs about one decoding step, and comes once in so many. */
export const CAPACITY_STEP = 32;

export const roundedCapacity = (positions: number) => Math.max(1, Math.ceil(positions / CAPACITY_STEP)) * CAPACITY_STEP;

export class CacheRows {
  constructor(
    /** Key and value of each layer in turn. */
    private readonly arrays: readonly Float32Array[],
    readonly geometry: CacheGeometry,
    /** [rows] positions in use. */
    readonly lengths: Int32Array,
  ) {}

  get capacity(): number {
    return this.geometry.capacity;
  }

  /** Makes room for `positions` per row; shrinks as well if a smaller capacity fits every row. */
  fit(positions: number): void {
    const needed = Math.max(positions, largest(this.lengths));
    const capacity = Math.min(roundedCapacity(needed), this.geometry.largestCapacity);
    if (needed > capacity)
      throw new RangeError(`key-value cache: ${needed} positions requested, the capacity is at most ${capacity}`);
    if (capacity === this.capacity) return;
    for (const array of this.arrays) this.#move(array, capacity);
    this.geometry.capacity = capacity;
  }

  /** Begins at the end when rows move apart, at the start when they close up, so that nothing is overwritten unread. */
  #move(array: Float32Array, capacity: number): void {
    const { heads, headSize } = this.geometry;
    const [from, to] = [this.capacity * headSize, capacity * headSize];
    const blocks = this.lengths.length * heads;
    for (let i = 0; i < blocks; i++) {
      const block = to > from ? blocks - 1 - i : i;
      const used = this.lengths[Math.floor(block / heads)] * headSize;
      if (used > 0) array.copyWithin(block * to, block * from, block * from + used);
    }
  }

  /**
   * Appends new keys and values to the first rows.
   *
   * @param fresh [arrays, rows, heads, tokens, headSize]
   * @param counts [rows] how many of the tokens are real; the rest is padding
   */
  append(fresh: Float32Array, tokens: number, counts: Int32Array): void {
    const size = fresh.length / this.arrays.length;
    this.arrays.forEach((array, i) => {
      const part = fresh.subarray(i * size, (i + 1) * size);
      if (tokens > 1 || !this.#appendOne(part, array, counts)) this.#appendSome(part, array, tokens, counts);
    });
    for (let row = 0; row < counts.length; row++) this.lengths[row] += counts[row];
  }

  /** One token a row. @returns false where that must be done otherwise */
  #appendOne(fresh: Float32Array, array: Float32Array, counts: Int32Array): boolean {
    const { heads, headSize } = this.geometry;
    const stride = this.capacity * headSize;
    const starts = Array.from(counts, (count, row) =>
      count > 0 ? row * heads * stride + this.lengths[row] * headSize : -1,
    );
    return scatterBlocks(fresh, array, starts, { size: headSize, stride });
  }

  #appendSome(fresh: Float32Array, array: Float32Array, tokens: number, counts: Int32Array): void {
    const { heads, headSize } = this.geometry;
    const stride = this.capacity * headSize;
    const block = tokens * headSize;
    let source = 0;
    for (let row = 0; row < counts.length; row++) {
      const size = counts[row] * headSize;
      let target = row * heads * stride + this.lengths[row] * headSize;
      for (let head = 0; head < heads; head++, source += block, target += stride)
        copy(fresh, source, array, target, size);
    }
  }

  /** The first positions of a row replace all of another row's. */
  copy({ from, to, length }: PrefixCopy): void {
    const { heads, headSize } = this.geometry;
    const stride = this.capacity * headSize;
    for (const array of this.arrays) {
      for (let head = 0; head < heads; head++) {
        const first = (from * heads + head) * stride;
        array.copyWithin((to * heads + head) * stride, first, first + length * headSize);
      }
    }
    this.lengths[to] = length;
  }

  /**
   * Copies positions of a row from `start` on into a block of the prefix pool.
   *
   * @param block [arrays, heads, positions, headSize]
   */
  saveBlock(row: number, start: number, block: Float32Array): void {
    this.#forParts(row, start, block, (array, at, part) => part.set(array.subarray(at, at + part.length)));
  }

  /** Copies such a block back; the row's length is the caller's. */
  loadBlock(row: number, start: number, block: Float32Array): void {
    this.#forParts(row, start, block, (array, at, part) => array.set(part, at));
  }

  /** Each head's part of a block, and where in which array it belongs. */
  #forParts(
    row: number,
    start: number,
    block: Float32Array,
    use: (array: Float32Array, at: number, part: Float32Array) => void,
  ): void {
    const { heads, headSize } = this.geometry;
    const size = block.length / (this.arrays.length * heads);
    let from = 0;
    for (const array of this.arrays)
      for (let head = 0; head < heads; head++, from += size)
        use(array, ((row * heads + head) * this.capacity + start) * headSize, block.subarray(from, from + size));
  }

  /** Exchanges two rows with all that is in them. */
  swap(a: number, b: number): void {
    const { heads, headSize } = this.geometry;
    const stride = this.capacity * headSize;
    const size = Math.max(this.lengths[a], this.lengths[b]) * headSize;
    for (const array of this.arrays) {
      for (let head = 0; head < heads; head++) {
        const [i, j] = [(a * heads + head) * stride, (b * heads + head) * stride];
        const kept = array.slice(i, i + size);
        array.copyWithin(i, j, j + size);
        array.set(kept, j);
      }
    }
    [this.lengths[a], this.lengths[b]] = [this.lengths[b], this.lengths[a]];
  }
}

/** Short runs by a loop: making a view costs more than 64 assignments. */
function copy(source: Float32Array, from: number, target: Float32Array, to: number, size: number): void {
  if (size > 256) target.set(source.subarray(from, from + size), to);
  else for (let i = 0; i < size; i++) target[to + i] = source[from + i];
}

/** The same as `maximum` of core, which the workers do not load. */
export const largest = (values: ArrayLike<number>): number => {
  let most = -Infinity;
  for (let i = 0; i < values.length; i++) most = Math.max(most, values[i]);
  return most;
};
