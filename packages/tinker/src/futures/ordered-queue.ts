// Queues one model's requests in the order of their sequence numbers. A request that arrives early waits for the missing ones, up to a
// time limit.
import { RequestError } from '../request-error.js';

/** The largest distance of a number from a missing one: a client sends the parts of a batch at the same time. */
const MOST_AHEAD = 1024;

interface OrderedQueueOptions<Item> {
  /** Runs one item at a time; it does not throw. */
  run: (item: Item, seq: number) => Promise<void>;
  /** The milliseconds for which others wait for a missing number. */
  missingMs: number;
  /** Called with the items that have waited too long. They remain in the order, and `run` is called with them in their turn. */
  onMissing: (seq: number, items: Item[]) => void;
}

export class OrderedQueue<Item> {
  readonly #waiting = new Map<number, Item>();
  #next: number;
  #last: number;
  #running: Promise<void> | null = null;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;

  /** Makes an empty queue. @param next the number of the first item to run */
  constructor(
    next: number,
    private readonly options: OrderedQueueOptions<Item>,
  ) {
    this.#next = next;
    this.#missing = next;
    this.#last = next - 1;
  }

  /** The first number that has not arrived. */
  #missing: number;

  get #firstMissing(): number {
    this.#missing = Math.max(this.#missing, this.#next);
    while (this.#waiting.has(this.#missing)) this.#missing++;
    return this.#missing;
  }

  /** Returns a sequence number for an item that has none: the next one after all items so far. */
  get free(): number {
    return this.#last + 1;
  }

  /** Returns whether the turn of this number is over. */
  isPast(seq: number): boolean {
    return seq < this.#next;
  }

  /** Returns whether the item of this number is the next to run. */
  isNext(seq: number): boolean {
    return seq === this.#next;
  }

  /** Checks that a number is not too far ahead. @throws {RequestError} if it is too far ahead of a missing one */
  checkPlace(seq: number): void {
    const missing = this.#firstMissing;
    if (seq - missing > MOST_AHEAD)
      throw new RequestError(
        `seq_id is ${seq}, and ${missing} has not been sent; a request may be ${MOST_AHEAD} ahead of it\n` +
          `  send the requests of a model with the numbers 1, 2, 3, …; the next one of this model is ${missing}`,
      );
  }

  add(seq: number, item: Item): void {
    this.#last = Math.max(this.#last, seq);
    if (seq >= this.#next) this.#waiting.set(seq, item);
    this.#running ??= this.#drain();
  }

  async #drain(): Promise<void> {
    await Promise.resolve(); // items that arrive in the same turn of the event loop may have lower numbers
    while (!this.#isClosed && this.#waiting.has(this.#next)) {
      const seq = this.#next++;
      const item = this.#waiting.get(seq)!;
      this.#waiting.delete(seq);
      this.#stopWaiting();
      await this.options.run(item, seq);
    }
    this.#running = null; // no `await` follows the last check for items, so that no item is missed
    if (this.#waiting.size > 0 && !this.#isClosed) this.#timer ??= this.#startWaiting();
  }

  #startWaiting(): NodeJS.Timeout {
    const { missingMs, onMissing } = this.options;
    return setTimeout(() => {
      this.#timer = null;
      onMissing(this.#next, [...this.#waiting.values()]);
    }, missingMs).unref();
  }

  #stopWaiting(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Resolves when no item is left that can be run. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Runs no further items. Resolves when the current item has ended. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWaiting();
    return this.idle();
  }
}
