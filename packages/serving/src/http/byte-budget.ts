// Limits the memory that clients' requests take in this process. When the budget is full, the incomplete request that has
// received nothing for the longest time is dropped to make space for one that still arrives, since stalled clients would
// otherwise block all others. Complete requests have a separate limit, since their bodies stay in memory until they are answered.

export class ByteBudget {
  #held = 0;
  #kept = 0;
  /** The shares of incomplete requests, in the order in which they last received bytes, oldest first. */
  readonly #shares = new Set<ByteShare>();

  /** @param mostKept the limit for complete requests that are not answered yet, in bytes */
  constructor(
    private readonly limit: number,
    private readonly mostKept: number,
  ) {}

  /** Returns the number of bytes of incomplete requests. */
  get held(): number {
    return this.#held;
  }

  /** Returns the number of bytes of complete requests that are not answered yet. */
  get kept(): number {
    return this.#kept;
  }

  /** @param giveWay drops the request; called at most once, when other requests need the memory */
  open(giveWay: () => void): ByteShare {
    return new ByteShare(this, giveWay);
  }

  /** Only the share itself calls it. */
  change(share: ByteShare, by: number): void {
    if (share.isKept) {
      this.#kept += by;
      return;
    }
    this.#held += by;
    this.#shares.delete(share);
    if (share.bytes > 0) this.#shares.add(share);
    if (by > 0) this.#makeRoom();
  }

  /** Only the share itself calls it, for a complete request. @returns whether the limit for these allows it */
  keep(share: ByteShare): boolean {
    if (this.#kept > 0 && this.#kept + share.bytes > this.mostKept) return false;
    this.#shares.delete(share);
    this.#held -= share.bytes;
    this.#kept += share.bytes;
    return true;
  }

  /** Drops the longest unchanged shares. The one that has just grown is last, and dropped only if it alone exceeds the limit. */
  #makeRoom(): void {
    for (const share of this.#shares) {
      if (this.#held <= this.limit) return;
      share.giveWay();
    }
  }
}

/** The part of a byte budget that one request body or WebSocket message takes. */
export class ByteShare {
  #bytes = 0;
  #isLost = false;
  #isKept = false;

  constructor(
    private readonly budget: ByteBudget,
    private readonly onLost: () => void,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns whether the request is complete, after which its share is not dropped any more. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Counts the bytes as a complete request's until they are released. @returns whether the limit for these allows it */
  keep(): boolean {
    return (this.#isKept ||= this.budget.keep(this));
  }

  /** Sets the number of bytes that the request takes now. It has no effect after the share was dropped. */
  hold(bytes: number): void {
    if (this.#isLost || bytes === this.#bytes) return;
    const by = bytes - this.#bytes;
    this.#bytes = bytes;
    this.budget.change(this, by);
  }

  release(): void {
    this.hold(0);
  }

  giveWay(): void {
    this.release();
    this.#isLost = true;
    this.onLost();
  }
}

const MOST_HELD = 64 * 2 ** 20;
const MOST_KEPT = 256 * 2 ** 20;

/** The budget of all request bodies and WebSocket messages that the servers in this process have not answered. */
export const bytesInFlight = new ByteBudget(MOST_HELD, MOST_KEPT);
