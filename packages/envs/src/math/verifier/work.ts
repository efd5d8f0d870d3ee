// One comparison: a bound on its work, since answers come from a policy that is rewarded for them, and what it takes for an answer.
import { NoValueError } from '../fraction.js';

/** The comparison would take more work than it may: it is undecided, which is never "equal". */
class TooMuchWorkError extends NoValueError {
  constructor() {
    super('more work than a comparison may take');
  }
}

/** Steps of about a microsecond. */
export const MAX_STEPS = 60_000;

export class Work {
  #left: number;

  /** @param takesCalculations whether a calculation is a right answer where a number is asked for */
  constructor(
    steps = MAX_STEPS,
    readonly takesCalculations = false,
  ) {
    this.#left = steps;
  }

  /** @throws {TooMuchWorkError} where less is left */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWorkError();
  }
}
