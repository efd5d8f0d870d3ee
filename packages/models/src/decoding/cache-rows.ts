// The KV cache in the worker thread: flat arrays, two per layer, of consecutive rows [heads, capacity, headSize]. The graph reads
// neighbouring rows of the same capacity in place, as a part of the array. Swapping rows and changing capacities move data only
// when the cache is next used, all at once.
import { scatterBlocks } from '../wasm/copy-blocks.js';
import { capacityClasses, largest, roundedCapacity, type CapacityClass } from './capacity-classes.js';
import { moveRows, type RowPlace } from './move-rows.js';
import type { PrefixCopy } from './shared-prefixes.js';

/** Sizes of the cache. Capacities change over time; the arrays have room for the largest. */
export interface CacheGeometry {
  /** The number of heads of keys and values. */
  heads: number;
  headSize: number;
  /** [rows] the number of positions that each row has room for at present, a multiple of 32. */
  capacities: Int32Array;
  /** The number of positions per row that the arrays have room for. */
  largestCapacity: number;
}

export class CacheRows {
  /** [rows] the row of the arrays that has each row's data; differs from the row itself after a swap. */
  readonly #places: number[];
  /** [rows] capacities of the rows of the arrays, in positions. */
  #capacities: Int32Array;
  #starts: number[];

  constructor(
    /** Keys and values of each layer in turn. */
    private readonly arrays: readonly Float32Array[],
    readonly geometry: CacheGeometry,
    /** [rows] the number of positions in use. */
    readonly lengths: Int32Array,
    /** The maximum number of different capacities among the rows of a batch. */
    readonly mostClasses: 1 | 2 = 1,
  ) {
    this.#places = Array.from(lengths, (_, row) => row);
    this.#capacities = geometry.capacities;
    this.#starts = startsOf(this.#capacities);
  }

  /** Returns the capacity of each row of the arrays, in positions. */
  get capacities(): Int32Array {
    return this.#capacities;
  }

  get positionBytes(): number {
    return 2 * 4 * this.geometry.heads * this.geometry.headSize;
  }

  /**
   * Gives the first rows suitable capacities (see capacity-classes.ts), and moves every row's data to its own row.
   *
   * @param needed [first rows] positions
   */
  fit(needed: readonly number[]): void {
    const whole = this.#rounded(Math.max(largest(needed), largest(this.lengths)));
    const now = this.#isInPlace ? this.classes(needed.length) : [];
    const { mostClasses: most, positionBytes } = this;
    const classes = capacityClasses(needed, whole, { most, positionBytes }, now);
    const first = classes.flatMap(({ rows, capacity }) => Array<number>(rows).fill(this.#rounded(capacity)));
    this.#arrange(this.lengths.map((_, row) => first[row] ?? this.#capacities[this.#places[row]]));
  }

  /**
   * Gives larger capacities to rows that need more positions.
   *
   * @param needed [rows] positions
   */
  makeRoom(needed: Int32Array): void {
    const present = (row: number) => this.#capacities[this.#places[row]];
    this.#arrange(needed.map((positions, row) => Math.max(present(row), this.#rounded(positions))));
  }

  /** Divides the first rows into runs of equal capacity. */
  classes(rows: number): CapacityClass[] {
    const classes: CapacityClass[] = [];
    for (let row = 0; row < rows; row++) {
      const last = classes.at(-1);
      if (last?.capacity === this.#capacities[row]) last.rows++;
      else classes.push({ rows: 1, capacity: this.#capacities[row] });
    }
    return classes;
  }

  /** Returns the index in the arrays at which a row begins. */
  start(row: number): number {
    return this.#starts[row] * this.geometry.heads * this.geometry.headSize;
  }

  #rounded(positions: number): number {
    const capacity = Math.min(roundedCapacity(positions), this.geometry.largestCapacity);
    if (positions > capacity)
      throw new RangeError(`key-value cache: ${positions} positions requested, the capacity is at most ${capacity}`);
    return capacity;
  }

  get #isInPlace(): boolean {
    return this.#places.every((place, row) => place === row);
  }

  /** Moves every row's data to its own row, with the given capacities. */
  #arrange(capacities: Int32Array): void {
    if (this.#isInPlace && capacities.every((capacity, row) => capacity === this.#capacities[row])) return;
    const starts = startsOf(capacities);
    const rows = this.#places.map((from, row): RowPlace => {
      const [before, after] = [this.#capacities[from], capacities[row]];
      const used = Math.min(this.lengths[row], before, after);
      return { from: this.#starts[from], before, to: starts[row], after, used, isSwapped: from !== row };
    });
    moveRows(this.arrays, rows, this.geometry);
    this.#places.forEach((_, row) => (this.#places[row] = row));
    [this.#capacities, this.#starts] = [capacities, starts];
  }

  /**
   * Appends new keys and values to the first rows, which have room for them.
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

  /**
   * Appends one token to each row.
   *
   * @returns false if it cannot, so that the caller appends in the general way
   */
  #appendOne(fresh: Float32Array, array: Float32Array, counts: Int32Array): boolean {
    const { headSize } = this.geometry;
    const starts = Array.from(counts, (count, row) =>
      count > 0 ? this.start(row) + this.lengths[row] * headSize : -1,
    );
    const strides = Array.from(counts, (_, row) => this.#capacities[row] * headSize);
    return scatterBlocks(fresh, array, starts, { size: headSize, strides });
  }

  #appendSome(fresh: Float32Array, array: Float32Array, tokens: number, counts: Int32Array): void {
    const { heads, headSize } = this.geometry;
    const block = tokens * headSize;
    let source = 0;
    for (let row = 0; row < counts.length; row++) {
      const stride = this.#capacities[row] * headSize;
      const size = counts[row] * headSize;
      let target = this.start(row) + this.lengths[row] * headSize;
      for (let head = 0; head < heads; head++, source += block, target += stride)
        copy(fresh, source, array, target, size);
    }
  }

  /** Overwrites the beginning of rows with the first positions of other rows, in the given order. */
  copy(copies: readonly PrefixCopy[]): void {
    const needed = this.lengths.slice();
    for (const { to, length } of copies) needed[to] = Math.max(needed[to], length);
    this.makeRoom(needed);
    for (const { from, to, length } of copies) {
      this.#forHeads(from, to, (array, source, target) =>
        array.copyWithin(target, source, source + length * this.geometry.headSize),
      );
      this.lengths[to] = length;
    }
  }

  #forHeads(from: number, to: number, use: (array: Float32Array, source: number, target: number) => void): void {
    const { heads, headSize } = this.geometry;
    const [source, target] = [from, to].map((row) => ({
      first: this.start(row),
      stride: this.#capacities[row] * headSize,
    }));
    for (const array of this.arrays)
      for (let head = 0; head < heads; head++)
        use(array, source.first + head * source.stride, target.first + head * target.stride);
  }

  /**
   * Copies positions of a row, beginning at `start`, into a block of the prefix pool.
   *
   * @param block [arrays, heads, positions, headSize]
   */
  saveBlock(row: number, start: number, block: Float32Array): void {
    this.#forParts(row, start, block, (array, at, part) => part.set(array.subarray(at, at + part.length)));
  }

  /** Copies a block back into a row; the caller sets the row's length. */
  loadBlock(row: number, start: number, block: Float32Array): void {
    this.#forParts(row, start, block, (array, at, part) => array.set(part, at));
  }

  /** Calls `use` for each array and head with the corresponding part of a block and its index in the array. */
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
        use(
          array,
          this.start(row) + (head * this.#capacities[row] + start) * headSize,
          block.subarray(from, from + size),
        );
  }

  /** Moves every row's data to its own row. */
  settle(): void {
    this.makeRoom(this.lengths);
  }

  /** Swaps two rows; the data moves when the cache is next used. */
  swap(a: number, b: number): void {
    for (const list of [this.#places, this.lengths]) [list[a], list[b]] = [list[b], list[a]];
  }
}

/** Computes the number of positions before each row, [rows]. */
function startsOf(capacities: Int32Array): number[] {
  let sum = 0;
  return Array.from(capacities, (capacity) => (sum += capacity) - capacity);
}

/** Copies numbers from one array to another. Short runs use a loop: creating a view costs more than 64 assignments. */
function copy(source: Float32Array, from: number, target: Float32Array, to: number, size: number): void {
  if (size > 256) target.set(source.subarray(from, from + size), to);
  else for (let i = 0; i < size; i++) target[to + i] = source[from + i];
}
