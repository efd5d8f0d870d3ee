// Limits the bytes of clients' requests in the memory of a process. When the budget is full, the incomplete request without
// progress for the longest time is dropped for one that still arrives, since stalled clients would otherwise block all others.
// Complete requests count separately until they are answered, since their bodies stay in memory while they wait.

export class ByteBudget {
  #held = 0;
  #kept = 0;
  /** The shares, in the order of their last change, oldest first. */
  readonly #shares = new Set<ByteShare>();

  /** Makes an empty budget. @param mostKept bytes of complete requests that are not answered */
  constructor(
    private readonly limit: number,
    private readonly mostKept: number,
  ) {}

  /** Returns the bytes of requests that are arriving. */
  get held(): number {
    return this.#held;
  }

  /** Returns the bytes of requests that have arrived. */
  get kept(): number {
    return this.#kept;
  }

  /** Opens a share. @param giveWay called once if others need its bytes, which it must then release */
  open(giveWay: () => void): ByteShare {
    return new ByteShare(this, giveWay);
  }

  /** Changes the size of a share, which calls it. */
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

  /** Marks a share as complete; the share calls it. @returns whether there is space for it */
  keep(share: ByteShare): boolean {
    if (this.#kept > 0 && this.#kept + share.bytes > this.mostKept) return false;
    this.#shares.delete(share);
    this.#held -= share.bytes;
    this.#kept += share.bytes;
    return true;
  }

  /** Drops the oldest shares until the others fit. The newest share is dropped last, but also if it alone exceeds the budget. */
  #makeRoom(): void {
    for (const share of this.#shares) {
      if (this.#held <= this.limit) return;
      share.giveWay();
    }
  }
}

/** The part of a budget for one client's body or message. */
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

  /** Returns whether the request is complete; its share is then no longer dropped. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Counts the bytes of a complete request until they are released. @returns whether there is space for them */
  keep(): boolean {
    return (this.#isKept ||= this.budget.keep(this));
  }

  /** Sets the number of bytes. It has no effect after the share was dropped. */
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

/** The budget of all unanswered bodies and messages of the servers in this process. */
export const bytesInFlight = new ByteBudget(MOST_HELD, MOST_KEPT);
