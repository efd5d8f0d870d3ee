// Runs the requests of one model in the order of their sequence numbers. Requests can arrive in another order, since clients send
// several at the same time: a request waits for those with lower numbers, up to a time limit.
import { RequestError } from '../request-error.js';

/** The largest distance from the first missing number: a client sends all parts of a batch at the same time. */
const MOST_AHEAD = 1024;

interface OrderedQueueOptions<Item> {
  /** Runs one item; it is called for one item at a time, and does not throw. */
  run: (item: Item, seq: number) => Promise<void>;
  /** The milliseconds for which later items wait for a missing sequence number. */
  missingMs: number;
  /** Gets items that waited too long, to fail them. They stay queued, and `run` gets them too when the number arrives. */
  onMissing: (seq: number, items: Item[]) => void;
}

export class OrderedQueue<Item> {
  readonly #waiting = new Map<number, Item>();
  #next: number;
  #last: number;
  #running: Promise<void> | null = null;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;

  /** @param next the sequence number of the first item to run */
  constructor(
    next: number,
    private readonly options: OrderedQueueOptions<Item>,
  ) {
    this.#next = next;
    this.#missing = next;
    this.#last = next - 1;
  }

  #missing: number;

  get #firstMissing(): number {
    this.#missing = Math.max(this.#missing, this.#next);
    while (this.#waiting.has(this.#missing)) this.#missing++;
    return this.#missing;
  }

  /** Returns the sequence number for an item that a client sends without one: the number after the highest so far. */
  get free(): number {
    return this.#last + 1;
  }

  /** Returns whether the item of this sequence number, or a later one, has already begun to run. */
  isPast(seq: number): boolean {
    return seq < this.#next;
  }

  isNext(seq: number): boolean {
    return seq === this.#next;
  }

  /** Throws RequestError if the number is too far above the first missing one. */
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

  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Stops the queue: no further item is run. It waits for the end of the current item. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWaiting();
    return this.idle();
  }
}
