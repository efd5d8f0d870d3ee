// How much of what clients have sent a process holds at a time. A client that sends on takes the place of the one that has waited longest:
// those that stop half-way would otherwise keep everybody else out. A request that has arrived counts apart until it is
// answered: while it waits for its turn, it keeps its body in memory.

export class ByteBudget {
  #held = 0;
  #kept = 0;
  /** The one that has held without change for longest comes first. */
  readonly #shares = new Set<ByteShare>();

  /** @param mostKept of those that have arrived and are not answered */
  constructor(
    private readonly limit: number,
    private readonly mostKept: number,
  ) {}

  /** In bytes, of those that arrive. */
  get held(): number {
    return this.#held;
  }

  /** In bytes, of those that have arrived. */
  get kept(): number {
    return this.#kept;
  }

  /** @param giveWay called once, when others need its bytes: it must then release them */
  open(giveWay: () => void): ByteShare {
    return new ByteShare(this, giveWay);
  }

  /** Called by the shares. */
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

  /** Called by the shares. @returns whether there is room for it */
  keep(share: ByteShare): boolean {
    if (this.#kept > 0 && this.#kept + share.bytes > this.mostKept) return false;
    this.#shares.delete(share);
    this.#held -= share.bytes;
    this.#kept += share.bytes;
    return true;
  }

  /** The newest share is the last to go, but it goes where the others cannot. */
  #makeRoom(): void {
    for (const share of this.#shares) {
      if (this.#held <= this.limit) return;
      share.giveWay();
    }
  }
}

/** The share of a budget that one client's body or message holds. */
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

  /** Whether it has arrived, and gives way no more. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** From here on it counts until it is released: its bytes are being worked on. @returns whether there is room for it */
  keep(): boolean {
    return (this.#isKept ||= this.budget.keep(this));
  }

  /** Does nothing once it has given way. */
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
