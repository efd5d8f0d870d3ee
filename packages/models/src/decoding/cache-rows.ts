// Stores a KV cache in flat arrays of the worker thread, two per layer, of consecutive rows [heads, capacity, headSize]; a row
// holds the keys and values of one context. The graph reads neighbouring rows of the same capacity in place, as a section of the
// array. Swapping rows and changing capacities move no data at first; all rows move at once when the cache is next used.
// Rows may have their first positions in common (a shared prefix), which are then stored once, after all rows. A prefix becomes
// shared when one row first copies it from another row. There are at most two shared prefixes, so that a new one can be shared
// while rows still use that of earlier texts. The private section of a row has the positions after its shared prefix.
import { scatterBlocks } from '../wasm/copy-blocks.js';
import { CAPACITY_STEP, capacityClasses, largest, roundedCapacity, type CapacityClass } from './capacity-classes.js';
import { moveRows, type RowPlace } from './move-rows.js';
import type { PrefixCopy } from './shared-prefixes.js';

/** The positions that rows have in common: at most two prefixes, which are stored one after the other. */
export interface SharedPositions {
  /** The number of positions of each shared prefix, a multiple of 32; 0 if no row has the prefix. */
  lengths: [number, number];
  /** [rows] 1 or 2 for a row that begins with the first or the second shared prefix, 0 for a row without one. */
  rows: Uint8Array;
}

/** The least number of positions that rows share; a shorter common prefix is stored in each row. */
const LEAST_SHARED = 2 * CAPACITY_STEP;

/** The sizes of a KV cache. The capacities of rows change over time; the arrays have room for `largestCapacity` in every row. */
export interface CacheGeometry {
  /** The number of key and value heads. */
  heads: number;
  headSize: number;
  /** [rows] the number of positions for which each row's private section currently has room, a multiple of 32. */
  capacities: Int32Array;
  /** The shared prefixes, for which the arrays have room after all rows; undefined if rows cannot share prefixes. */
  shared?: SharedPositions;
  /** The number of positions per row for which the arrays have room. */
  largestCapacity: number;
}

export class CacheRows {
  /** [rows] the index of the array row with each row's data; differs from the row's index between a swap and the next use. */
  readonly #places: number[];
  /** [rows] the capacities of the array rows, in positions. */
  #capacities: Int32Array;
  #starts: number[];
  readonly #shared: SharedPositions | undefined;
  /** Rows cut inside their shared prefix, which keep its first `kept` positions until `separateCutRows` copies these. */
  #cut: { row: number; kept: number }[] = [];

  constructor(
    /** The keys of the first layer, its values, the keys of the second layer, and so on. */
    private readonly arrays: readonly Float32Array[],
    readonly geometry: CacheGeometry,
    /**
     * [rows] the number of positions in use; passed with the shared ones included, then reduced to each row's private section.
     */
    readonly lengths: Int32Array,
    /** The maximum number of different capacities among the rows of a batch. */
    readonly mostClasses: 1 | 2 = 1,
  ) {
    this.#places = Array.from(lengths, (_, row) => row);
    this.#capacities = geometry.capacities;
    this.#starts = startsOf(this.#capacities);
    this.#shared = geometry.shared;
    lengths.forEach((length, row) => {
      const before = this.sharedLength(row);
      if (length < before) this.#cut.push({ row, kept: length });
      lengths[row] = Math.max(0, length - before);
    });
  }

  /** Returns the shared prefixes and the rows that have them; undefined if rows cannot share prefixes. */
  get shared(): SharedPositions | undefined {
    return this.#shared;
  }

  /** Returns the number of positions of a row's shared prefix; 0 if it has none. */
  sharedLength(row: number): number {
    const prefix = this.#shared?.rows[row] ?? 0;
    return prefix === 0 ? 0 : this.#shared!.lengths[prefix - 1];
  }

  /** Returns the index among all shared positions at which a row's shared prefix begins. */
  sharedBegin(row: number): number {
    return this.#shared?.rows[row] === 2 ? this.#shared.lengths[0] : 0;
  }

  /** Returns the number of positions of both shared prefixes together. */
  get sharedSize(): number {
    const [first, second] = this.#shared?.lengths ?? [0, 0];
    return first + second;
  }

  /** Returns the index in each array at which the shared positions, [heads, positions, headSize], begin. */
  get sharedStart(): number {
    const { heads, headSize, largestCapacity } = this.geometry;
    return this.lengths.length * largestCapacity * heads * headSize;
  }

  /** Copies what cut rows keep of their shared prefix to their private sections, so that they can diverge from other rows. */
  separateCutRows(): void {
    for (const { row, kept } of this.#cut.splice(0)) {
      this.#takeBack(row, 0, kept);
      this.#shared!.rows[row] = 0;
    }
    this.#dropUnshared();
  }

  /**
   * Copies a row's shared positions `begin` to `end` (exclusive) to the front of its private section, which has room for them.
   */
  #takeBack(row: number, begin: number, end: number): void {
    const { headSize } = this.geometry;
    const needed = this.lengths.slice();
    needed[row] += end - begin;
    this.makeRoom(needed);
    const [size, used] = [end - begin, this.lengths[row]].map((positions) => positions * headSize);
    this.#forShared(row, row, (array, shared, own) => {
      array.copyWithin(own + size, own, own + used);
      array.copyWithin(own, shared + begin * headSize, shared + end * headSize);
    });
    this.lengths[row] += end - begin;
  }

  /**
   * Calls `use` for each array and head with two indices into the array: those at which the shared prefix of the row `of` and the
   * private section of the row `row` begin.
   */
  #forShared(of: number, row: number, use: (array: Float32Array, shared: number, own: number) => void): void {
    const { heads, headSize } = this.geometry;
    const first = this.sharedStart + this.sharedBegin(of) * headSize;
    const [from, to] = [this.sharedSize, this.#capacities[row]].map((positions) => positions * headSize);
    for (const array of this.arrays)
      for (let head = 0; head < heads; head++) use(array, first + head * from, this.start(row) + head * to);
  }

  /** Makes the first positions of a row a shared prefix, or shortens the one that it has already, if that saves memory. */
  #shareFrom(row: number, positions: number): void {
    const shared = this.#shared;
    const length = Math.floor(positions / CAPACITY_STEP) * CAPACITY_STEP;
    if (!shared || length < LEAST_SHARED) return;
    if (shared.rows[row] === 0) this.#beginSharing(shared, row, length);
    else if (length < this.sharedLength(row)) this.#shareLess(shared, shared.rows[row], length);
  }

  #beginSharing(shared: SharedPositions, row: number, length: number): void {
    const place = shared.lengths.indexOf(0);
    if (place < 0 || this.sharedSize + length > this.geometry.largestCapacity) return;
    this.#resizeShared(shared, place + 1, length);
    shared.rows[row] = place + 1;
    const { headSize } = this.geometry;
    const [size, used] = [length, this.lengths[row]].map((count) => count * headSize);
    this.#forShared(row, row, (array, target, own) => {
      array.copyWithin(target, own, own + size);
      array.copyWithin(own, own + size, own + used);
    });
    this.lengths[row] -= length;
  }

  /** Shortens a shared prefix, if the rows that have it copy back fewer positions than the row that will share it saves. */
  #shareLess(shared: SharedPositions, prefix: number, length: number): void {
    const rows = [...shared.rows.keys()].filter((row) => shared.rows[row] === prefix);
    const before = shared.lengths[prefix - 1];
    if (rows.length * (before - length) > length) return;
    for (const row of rows) this.#takeBack(row, length, before);
    this.#resizeShared(shared, prefix, length);
  }

  /** Removes the shared prefixes that no row uses any longer. */
  #dropUnshared(): void {
    const shared = this.#shared;
    if (!shared) return;
    for (const prefix of [1, 2])
      if (shared.lengths[prefix - 1] > 0 && !shared.rows.includes(prefix)) this.#resizeShared(shared, prefix, 0);
  }

  /** Moves the shared positions so that a prefix has room for `length` positions; a shortened prefix keeps its first ones. */
  #resizeShared(shared: SharedPositions, prefix: number, length: number): void {
    const { heads, headSize } = this.geometry;
    const [before, after]: SharedPositions['lengths'][] = [[...shared.lengths], [...shared.lengths]];
    after[prefix - 1] = length;
    const [from, to] = [before, after].map(([first, second]) => (first + second) * headSize);
    for (const array of this.arrays) {
      const old = array.slice(this.sharedStart, this.sharedStart + heads * from);
      for (let head = 0; head < heads; head++)
        for (const which of [0, 1]) {
          const [source, target] = [before, after].map(([first]) => which * first * headSize);
          const kept = Math.min(before[which], after[which]) * headSize;
          const part = old.subarray(head * from + source, head * from + source + kept);
          array.set(part, this.sharedStart + head * to + target);
        }
    }
    shared.lengths = after;
  }

  /** Returns the capacity of each array row, in positions. */
  get capacities(): Int32Array {
    return this.#capacities;
  }

  get positionBytes(): number {
    return 2 * 4 * this.geometry.heads * this.geometry.headSize;
  }

  /**
   * Gives the first rows the cheapest capacities (see capacity-classes.ts), and moves every row's data to its own index.
   *
   * @param needed the number of positions that each of the first rows needs
   */
  fit(needed: readonly number[]): void {
    const whole = this.#rounded(Math.max(largest(needed), largest(this.lengths)));
    const now = this.#isInPlace ? this.classes(needed.length) : [];
    const { mostClasses: most, positionBytes } = this;
    const classes = capacityClasses(needed, whole, { most, positionBytes }, now);
    const first = classes.flatMap(({ rows, capacity }) => Array<number>(rows).fill(this.#rounded(capacity)));
    this.#arrange(this.lengths.map((_, row) => first[row] ?? this.#capacities[this.#places[row]]));
  }

  /** Enlarges the capacities of rows that need more. @param needed [rows] positions */
  makeRoom(needed: Int32Array): void {
    const present = (row: number) => this.#capacities[this.#places[row]];
    this.#arrange(needed.map((positions, row) => Math.max(present(row), this.#rounded(positions))));
  }

  /** Divides the first rows into classes: consecutive rows of equal capacity. */
  classes(rows: number): CapacityClass[] {
    const classes: CapacityClass[] = [];
    for (let row = 0; row < rows; row++) {
      const last = classes.at(-1);
      if (last?.capacity === this.#capacities[row]) last.rows++;
      else classes.push({ rows: 1, capacity: this.#capacities[row] });
    }
    return classes;
  }

  /** Returns the index in each array at which a row begins. */
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

  /** Moves every row's data to the array row with its own index, with the given capacities. */
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
   * @param counts [rows] how many of the row's tokens are real; the others are padding
   */
  append(fresh: Float32Array, tokens: number, counts: Int32Array): void {
    const size = fresh.length / this.arrays.length;
    this.arrays.forEach((array, i) => {
      const part = fresh.subarray(i * size, (i + 1) * size);
      if (tokens > 1 || !this.#appendOne(part, array, counts)) this.#appendSome(part, array, tokens, counts);
    });
    for (let row = 0; row < counts.length; row++) this.lengths[row] += counts[row];
  }

  /** Appends at most one token's keys or values to each row by WebAssembly; returns false if `scatterBlocks` cannot copy them. */
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

  /** Overwrites the first positions of rows with the first positions of other rows, in the order of `copies`. */
  copy(copies: readonly PrefixCopy[]): void {
    this.settle();
    for (const { from, to, length } of copies) {
      this.#shareFrom(from, length);
      if (!this.#shared) continue;
      const joins = length >= this.sharedLength(from);
      this.#shared.rows[to] = joins ? this.#shared.rows[from] : 0;
      this.lengths[to] = 0; // the row's earlier contents are replaced
    }
    const needed = this.lengths.slice();
    for (const { to, length } of copies) needed[to] = Math.max(needed[to], length - this.sharedLength(to));
    this.makeRoom(needed);
    for (const { from, to, length } of copies) {
      const own = length - this.sharedLength(to);
      const size = own * this.geometry.headSize;
      const copyOwn = (array: Float32Array, source: number, target: number) =>
        array.copyWithin(target, source, source + size);
      if (this.sharedLength(from) > this.sharedLength(to)) this.#forShared(from, to, copyOwn);
      else this.#forHeads(from, to, copyOwn);
      this.lengths[to] = own;
    }
    this.#dropUnshared();
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

  /** Copies positions of a row from `start` on into a block of the prefix pool, [arrays, heads, positions, headSize]. */
  saveBlock(row: number, start: number, block: Float32Array): void {
    this.#forParts(row, start, block, (array, at, part) => part.set(array.subarray(at, at + part.length)));
  }

  /** Copies a block of the prefix pool into a row, beginning at `start`; the caller sets the row's length. */
  loadBlock(row: number, start: number, block: Float32Array): void {
    this.#forParts(row, start, block, (array, at, part) => array.set(part, at));
  }

  /** Calls `use` for each array and head with the index in the array of a row's positions, and a block's section for them. */
  #forParts(
    row: number,
    start: number,
    block: Float32Array,
    use: (array: Float32Array, at: number, part: Float32Array) => void,
  ): void {
    const { heads, headSize } = this.geometry;
    const size = block.length / (this.arrays.length * heads);
    let from = 0;
    const before = this.sharedLength(row);
    const [first, stride] =
      start < before
        ? [this.sharedStart + (this.sharedBegin(row) + start) * headSize, this.sharedSize * headSize]
        : [this.start(row) + (start - before) * headSize, this.#capacities[row] * headSize];
    for (const array of this.arrays)
      for (let head = 0; head < heads; head++, from += size)
        use(array, first + head * stride, block.subarray(from, from + size));
  }

  /** Moves every row's data to the array row with its own index. */
  settle(): void {
    this.makeRoom(this.lengths);
  }

  /** Swaps two rows; their data moves when the cache is next used. */
  swap(a: number, b: number): void {
    const lists = [this.#places, this.lengths, ...(this.#shared ? [this.#shared.rows] : [])];
    for (const list of lists) [list[a], list[b]] = [list[b], list[a]];
  }
}

/** Computes the number of positions before each array row, [rows]. */
function startsOf(capacities: Int32Array): number[] {
  let sum = 0;
  return Array.from(capacities, (capacity) => (sum += capacity) - capacity);
}

/** Copies numbers; few of them by a loop, since creating a view of an array takes longer than 64 assignments. */
function copy(source: Float32Array, from: number, target: Float32Array, to: number, size: number): void {
  if (size > 256) target.set(source.subarray(from, from + size), to);
  else for (let i = 0; i < size; i++) target[to + i] = source[from + i];
}
