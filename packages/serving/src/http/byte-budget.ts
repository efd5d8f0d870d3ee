// A budget for the bytes of clients' requests that a process keeps at a time. When it is full, a client that still sends takes
// the place of the one that has made no progress for longest: clients that stop half-way would otherwise block all others. A
// request that has arrived counts separately until it is answered, since its body stays in memory while it waits.

export class ByteBudget {
  #held = 0;
  #kept = 0;
  /** The shares; the one that has not changed for longest comes first. */
  readonly #shares = new Set<ByteShare>();

  /** Makes an empty budget. @param mostKept of those that have arrived and are not answered */
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

  /** Opens a share. @param giveWay called once, when others need its bytes: it must then release them */
  open(giveWay: () => void): ByteShare {
    return new ByteShare(this, giveWay);
  }

  /** Changes the size of a share; its share calls it. */
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

  /** Marks a share as arrived; its share calls it. @returns whether there is space for it */
  keep(share: ByteShare): boolean {
    if (this.#kept > 0 && this.#kept + share.bytes > this.mostKept) return false;
    this.#shares.delete(share);
    this.#held -= share.bytes;
    this.#kept += share.bytes;
    return true;
  }

  /** Removes the oldest shares until the others fit. The newest share is removed last, also where it alone exceeds the budget. */
  #makeRoom(): void {
    for (const share of this.#shares) {
      if (this.#held <= this.limit) return;
      share.giveWay();
    }
  }
}

/** The part of a budget that one client's body or message takes. */
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

  /** Returns whether it has arrived; from then on it is not removed. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Counts it until it is released, since its bytes are being worked on. @returns whether there is space for it */
  keep(): boolean {
    return (this.#isKept ||= this.budget.keep(this));
  }

  /** Sets the number of its bytes; without effect once it has given way. */
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

/** The budget of all bodies and messages that the servers of this process have not answered. */
export const bytesInFlight = new ByteBudget(MOST_HELD, MOST_KEPT);
