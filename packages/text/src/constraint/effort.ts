// A bound on the work and the memory of a grammar. Schemas and patterns come from strangers: a few bytes may describe an automaton of a
// billion states. Its parts are counted as they are made, in steps that are the same on every machine, unlike seconds: a schema that is
// served today is served tomorrow. docs/decisions/constrained-decoding.md says why it is a count and no thread with a limit of time.
import { GrammarError } from './grammar-error.js';

/** The error for a grammar that takes more work than it may. */
export class GrammarEffortError extends GrammarError {
  override readonly name = 'GrammarEffortError';

  constructor(most: number) {
    super(
      `the grammar takes more than ${most} steps of work: shorten its lists of values, or simplify its patterns and combinations of schemas`,
    );
  }
}

/** The most steps of each kind of work. A step takes between 0.1 and 0.5 µs, and keeps about 100 bytes at most. */
export const effortLimits = {
  /** To read a schema as a grammar. */
  reading: 1_000_000,
  /** To compile a grammar for a vocabulary. */
  compiling: 1_000_000,
  /** To find which tokens may come next, once. */
  token: 300_000,
  /** All that of one answer. */
  answer: 3_000_000,
} as const;

interface Budget {
  readonly most: number;
  left: number;
}

/** The budgets that are drawn on now, the innermost last. */
let budgets: readonly Budget[] = [];

/** Counts steps of work, or things that are kept. @throws {GrammarEffortError} where a budget is used up */
export function spend(steps: number): void {
  for (const budget of budgets) if ((budget.left -= steps) < 0) throw new GrammarEffortError(budget.most);
}

/** Steps that one or several pieces of work may take together. */
export class Effort {
  readonly #budget: Budget;

  /** Makes a budget of steps. @param most null: no limit */
  constructor(most: number | null) {
    this.#budget = { most: most ?? Infinity, left: most ?? Infinity };
  }

  /**
   * Does work within the budget.
   *
   * @throws {GrammarEffortError} where the work takes more than is left
   */
  within<Result>(work: () => Result): Result {
    const outer = budgets;
    budgets = [...outer, this.#budget];
    try {
      return work();
    } finally {
      budgets = outer;
    }
  }
}
