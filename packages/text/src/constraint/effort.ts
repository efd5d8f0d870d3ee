// Limits the work and the memory of grammars that constrain answers. Schemas and patterns come from clients, and a few bytes may
// describe an automaton with a billion states. Work is counted in steps, which, unlike seconds, are the same on every machine: a
// schema that is accepted once is always accepted. docs/decisions/constrained-decoding.md explains why steps are counted instead
// of using a thread with a time limit.
import { GrammarError } from './grammar-error.js';

/** Thrown for a grammar that takes more steps of work than its budget allows. */
export class GrammarEffortError extends GrammarError {
  override readonly name = 'GrammarEffortError';

  constructor(most: number) {
    super(
      `the grammar takes more than ${most} steps of work: shorten its lists of values, or simplify its patterns and combinations of schemas`,
    );
  }
}

/** The largest number of steps for each kind of work. A step takes between 0.1 and 0.5 µs, and keeps at most about 100 bytes. */
export const effortLimits = {
  /** Converting a JSON Schema to a grammar. */
  reading: 1_000_000,
  /** Compiling a grammar for a vocabulary. */
  compiling: 1_000_000,
  /** Computing the mask of the tokens that may come next, once. */
  token: 300_000,
  /** All work for one sampled answer. */
  answer: 3_000_000,
} as const;

/** A limit of steps, and how many of them are left. */
interface Budget {
  readonly most: number;
  left: number;
}

/**
 * The budgets that count the work at present: `within` may be nested, and then each step counts for all of them. The innermost is
 * last.
 */
let budgets: readonly Budget[] = [];

/**
 * Subtracts steps from all budgets in use. Callers count their work, or the objects that they keep in memory.
 *
 * @throws {GrammarEffortError} if a budget is used up
 */
export function spend(steps: number): void {
  for (const budget of budgets) if ((budget.left -= steps) < 0) throw new GrammarEffortError(budget.most);
}

/** A budget of steps, which one or several calls of `within` may use. */
export class Effort {
  readonly #budget: Budget;

  /**
   * Makes a budget of steps.
   *
   * @param most the number of steps; null: no limit
   */
  constructor(most: number | null) {
    this.#budget = { most: most ?? Infinity, left: most ?? Infinity };
  }

  /**
   * Runs `work`, and counts the steps that it takes.
   *
   * @throws {GrammarEffortError} if the work exceeds it
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
