// Requests of one model in the order of their sequence numbers, whenever they arrive: one that comes early waits for those before it.

export class OrderedQueue<Item> {
  readonly #waiting = new Map<number, Item>();
  #next: number;
  #last: number;
  #running: Promise<void> | null = null;
  #isClosed = false;

  /**
   * @param next the number of the first item that is run
   * @param run one at a time; it does not throw
   */
  constructor(
    next: number,
    private readonly run: (item: Item, seq: number) => Promise<void>,
  ) {
    this.#next = next;
    this.#last = next - 1;
  }

  /** The number of the next item that brings none: behind all that have arrived. */
  get free(): number {
    return this.#last + 1;
  }

  /** Whether an item of this number would not be run any more. */
  isPast(seq: number): boolean {
    return seq < this.#next;
  }

  add(seq: number, item: Item): void {
    this.#last = Math.max(this.#last, seq);
    if (seq >= this.#next) this.#waiting.set(seq, item);
    this.#running ??= this.#drain();
  }

  async #drain(): Promise<void> {
    await Promise.resolve(); // those of the same turn of the event loop may be earlier ones
    while (!this.#isClosed && this.#waiting.has(this.#next)) {
      const seq = this.#next++;
      const item = this.#waiting.get(seq)!;
      this.#waiting.delete(seq);
      await this.run(item, seq);
    }
    this.#running = null; // in the turn in which nothing was left
  }

  /** Resolves when nothing that can be run is left. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Runs nothing more. Resolves when the item that is being run has ended. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.idle();
  }
}
