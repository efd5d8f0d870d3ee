import type { Rng } from './rng.js';

/**
 * Ring buffer of the last `capacity` items, sampled uniformly and with replacement.
 * Source: the buffer of ArCHer (arXiv:2402.19446); differs from its code in that `size` never exceeds the
 * capacity, so that every item is equally likely after wrap-around.
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

  /** Returns the items in their slots; the oldest is overwritten first. */
  get items(): readonly T[] {
    return this.#slots;
  }

  insert(item: T): void {
    this.#slots[this.#next] = item;
    this.#next = (this.#next + 1) % this.capacity;
  }

  /** Draws `count` items, each independently of the others. */
  sample(count: number, rng: Rng): T[] {
    if (this.size === 0) throw new RangeError('ReplayBuffer: nothing to sample, the buffer is empty');
    return Array.from({ length: count }, () => this.#slots[rng.integer(0, this.size - 1)]);
  }
}
