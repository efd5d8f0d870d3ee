// Merges the symbols of one word in time n log n: the pairs with the lowest rank first, and of these the leftmost. The work can
// be done in several calls, since a megabyte without a space is one word.
import type { MergeTable } from './merge-table.js';

/** The factor of the rank in an entry of the heap, rank · POSITIONS + position. Entries are ordered by rank, then by position. */
const POSITIONS = 2 ** 28;

const NONE = -1;

export class WordMerger {
  readonly #symbols: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  #heap: Float64Array;
  #heapSize = 0;
  /** The number of pairs that have been put into the heap before the first merge. */
  #begun = 0;

  /** Starts with the symbols of a word. `symbols`: ids of the word's characters; not changed. */
  constructor(
    private readonly merges: MergeTable,
    symbols: ArrayLike<number>,
  ) {
    const { length } = symbols;
    this.#symbols = new Int32Array(symbols);
    this.#next = new Int32Array(length);
    this.#previous = new Int32Array(length);
    for (let i = 0; i < length; i++) {
      this.#next[i] = i + 1 < length ? i + 1 : NONE;
      this.#previous[i] = i - 1;
    }
    this.#heap = new Float64Array(length + 1);
  }

  /** Returns whether the word is finished; otherwise call it again. */
  run(steps: number): boolean {
    let step = 0;
    for (; step < steps && this.#begun < this.#symbols.length; step++) this.#consider(this.#begun++);
    for (; step < steps && this.#heapSize > 0; step++) {
      const top = this.#pop();
      const at = top % POSITIONS;
      const right = this.#next[at];
      // The heap's entry is outdated if one of its two symbols has been merged since.
      if (this.#symbols[at] === NONE || right === NONE) continue;
      if (this.merges.rank(this.#symbols[at], this.#symbols[right]) !== Math.floor(top / POSITIONS)) continue;
      this.#symbols[at] = this.merges.merged(this.#symbols[at], this.#symbols[right]);
      this.#symbols[right] = NONE;
      this.#next[at] = this.#next[right];
      if (this.#next[at] !== NONE) this.#previous[this.#next[at]] = at;
      if (this.#previous[at] !== NONE) this.#consider(this.#previous[at]);
      this.#consider(at);
    }
    return this.#begun === this.#symbols.length && this.#heapSize === 0;
  }

  ids(): number[] {
    const ids: number[] = [];
    for (let at = 0; at !== NONE && at < this.#symbols.length; at = this.#next[at]) ids.push(this.#symbols[at]);
    return ids;
  }

  /** Puts the pair that begins at a symbol into the heap, if it can be merged. */
  #consider(at: number): void {
    const next = this.#next[at];
    if (next === NONE) return;
    const rank = this.merges.rank(this.#symbols[at], this.#symbols[next]);
    if (rank >= 0) this.#push(rank * POSITIONS + at);
  }

  #push(value: number): void {
    if (this.#heapSize === this.#heap.length) {
      const larger = new Float64Array(2 * this.#heap.length);
      larger.set(this.#heap);
      this.#heap = larger;
    }
    const heap = this.#heap;
    let at = this.#heapSize++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent] <= value) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = value;
  }

  #pop(): number {
    const heap = this.#heap;
    const top = heap[0];
    const size = --this.#heapSize;
    const last = heap[size];
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && heap[child + 1] < heap[child]) child++;
      if (heap[child] >= last) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
    return top;
  }
}
