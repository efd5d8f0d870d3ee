// Implements a circuit breaker for calls to a server: after several failures in a row it refuses calls for a while, then admits
// one trial call.

export interface CircuitOptions {
  failures: number;
  /** The time in milliseconds for which calls are refused after too many failures (the circuit is then open). */
  openMs: number;
}

export class CircuitBreaker {
  #failedInARow = 0;
  #openUntil = 0;
  #probing = false;

  /** Creates a circuit breaker that is closed, which means that it admits calls. @param now monotonic clock in milliseconds */
  constructor(
    private readonly options: CircuitOptions,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Admits one call as the trial when the circuit has been open for `openMs`; refuses others until its result is known. */
  admits(): boolean {
    if (this.#failedInARow < this.options.failures) return true;
    if (this.#probing || this.now() < this.#openUntil) return false;
    this.#probing = true;
    return true;
  }

  succeeded(): void {
    this.#failedInARow = 0;
    this.#probing = false;
  }

  failed(): void {
    this.#failedInARow++;
    this.#probing = false;
    this.#openUntil = this.now() + this.options.openMs;
  }
}
