// Stores merges in a hash table of flat arrays, by the ids of the two symbols, since published tokenizers have up to 500,000.

export class MergeTable {
  readonly #mask: number;
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  readonly #ranks: Int32Array;
  readonly #merged: Int32Array;

  /** Makes an empty table. `capacity`: the number of merges that will be set. */
  constructor(capacity: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * capacity + 2));
    this.#mask = slots - 1;
    this.#left = new Int32Array(slots).fill(-1);
    this.#right = new Int32Array(slots);
    this.#ranks = new Int32Array(slots);
    this.#merged = new Int32Array(slots);
  }

  /** The rank is the place in the order of merges. If a pair is set twice, the last rank counts. */
  set(left: number, right: number, rank: number, merged: number): void {
    const slot = this.#slot(left, right);
    this.#left[slot] = left;
    this.#right[slot] = right;
    this.#ranks[slot] = rank;
    this.#merged[slot] = merged;
  }

  /** −1 if the pair is never merged; lower ranks are merged first. */
  rank(left: number, right: number): number {
    const slot = this.#slot(left, right);
    return this.#left[slot] < 0 ? -1 : this.#ranks[slot];
  }

  merged(left: number, right: number): number {
    return this.#merged[this.#slot(left, right)];
  }

  #slot(left: number, right: number): number {
    let slot = (Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & this.#mask;
    while (this.#left[slot] >= 0 && (this.#left[slot] !== left || this.#right[slot] !== right))
      slot = (slot + 1) & this.#mask;
    return slot;
  }
}
