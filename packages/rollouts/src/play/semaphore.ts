// Limits the number of agents that play at once. Agents that were started ahead wait here until another one ends.

/** A permit, with which one agent may play. */
export interface Permit {
  /** Resolves when the agent may play, or when the permit is released before that. */
  begun: Promise<void>;
  /** Gives the permit back, so that the agent which has waited longest may play. */
  release(): void;
}

export class Semaphore {
  readonly #waiting: (() => void)[] = [];

  /** Makes a semaphore. @param free number of agents that may play at the same time */
  constructor(private free: number) {}

  acquire(): Permit {
    if (this.free > 0) {
      this.free--;
      return { begun: Promise.resolve(), release: this.#next };
    }
    const { promise, resolve } = withResolvers();
    this.#waiting.push(resolve);
    const release = () => {
      const place = this.#waiting.indexOf(resolve);
      if (place < 0) return this.#next();
      this.#waiting.splice(place, 1);
      resolve();
    };
    return { begun: promise, release };
  }

  readonly #next = (): void => {
    const begin = this.#waiting.shift();
    if (begin) begin();
    else this.free++;
  };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  return { promise: new Promise((begin) => (resolve = begin)), resolve };
}
