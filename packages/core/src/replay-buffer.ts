import type { Rng } from './rng.js';

/**
 * A ring buffer of the last `capacity` items, sampled uniformly with replacement.
 * Source: ArCHer (arXiv:2402.19446). Differs from its code, where `size` exceeds the capacity once the buffer has wrapped around.
 */
export class ReplayBuffer<T> {
  #slots: T[] = [];
  #next = 0;

  constructor(readonly capacity: number) {
    if (!(capacity >= 1)) throw new RangeError(`ReplayBuffer: capacity is ${capacity}; it must be at least 1`);
  }

  get size(): number {
    return this.#slots.length;
  }

  /** Returns the items in the order of the array; once it is full, each new item replaces the oldest. */
  get items(): readonly T[] {
    return this.#slots;
  }

  insert(item: T): void {
    this.#slots[this.#next] = item;
    this.#next = (this.#next + 1) % this.capacity;
  }

  sample(count: number, rng: Rng): T[] {
    if (this.size === 0) throw new RangeError('ReplayBuffer: nothing to sample, the buffer is empty');
    return Array.from({ length: count }, () => this.#slots[rng.integer(0, this.size - 1)]);
  }
}
