// Keeps the state of one comparison: the remaining units of work, and whether calculations are accepted. Work is limited, since a
// policy may write hostile answers to get a reward.
import { NoValueError } from '../fraction.js';

/** The error for a comparison that exceeds its work. It counts as unequal. */
class TooMuchWorkError extends NoValueError {
  constructor() {
    super('more work than a comparison may take');
  }
}

/** The units of work of a comparison. A unit takes about a microsecond. */
export const MAX_STEPS = 60_000;

export class Work {
  #left: number;

  /** Creates the state. @param takesCalculations whether a calculation is accepted where a number is expected */
  constructor(
    steps = MAX_STEPS,
    readonly takesCalculations = false,
  ) {
    this.#left = steps;
  }

  /** Spends units. @throws {TooMuchWorkError} if fewer are left */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWorkError();
  }
}
