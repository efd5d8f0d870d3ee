// Limits the time of one comparison of answers, which is counted in units of work, since a policy may write hostile answers to
// get a reward. It also says whether calculations are accepted as answers.
import { NoValueError } from '../fraction.js';

/** The error for a comparison that needs more units of work than the limit. The answers then count as unequal. */
class TooMuchWorkError extends NoValueError {
  constructor() {
    super('more work than a comparison may take');
  }
}

/** The limit of a comparison in units of work. A unit takes about a microsecond. */
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

  /** Subtracts units from the remaining work. @throws {TooMuchWorkError} if fewer units are left */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWorkError();
  }
}
