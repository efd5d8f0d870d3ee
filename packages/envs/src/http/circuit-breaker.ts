// Refuses calls for a while after several calls in a row have failed; then one call is tried.

export interface CircuitOptions {
  /** Failed calls in a row that open the circuit. */
  failures: number;
  /** Milliseconds for which an open circuit refuses calls. */
  openMs: number;
}

export class CircuitBreaker {
  #failedInARow = 0;
  #openUntil = 0;
  #probing = false;

  /** Starts with a closed circuit. @param now milliseconds of a clock that never runs backwards */
  constructor(
    private readonly options: CircuitOptions,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Returns whether a call may be made. While half open, the first that asks is the probe and the others are refused. */
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
