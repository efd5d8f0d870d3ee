// The settings of one comparison: a bound on its work, since a policy may write hostile answers to get a reward, and which
// answers are accepted.
import { NoValueError } from '../fraction.js';

/** The error for a comparison with too much work: it is undecided, which never counts as equal. */
class TooMuchWorkError extends NoValueError {
  constructor() {
    super('more work than a comparison may take');
  }
}

/** Units of work of about a microsecond. */
export const MAX_STEPS = 60_000;

export class Work {
  #left: number;

  /** Starts with all units. @param takesCalculations whether a calculation is a right answer where a number is asked for */
  constructor(
    steps = MAX_STEPS,
    readonly takesCalculations = false,
  ) {
    this.#left = steps;
  }

  /** Takes units. @throws {TooMuchWorkError} where fewer are left */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWorkError();
  }
}
