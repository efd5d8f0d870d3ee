// Limits the work and the memory of grammars that constrain answers: a few bytes from a client may describe an automaton with a
// billion states. Unlike seconds, steps are the same on every machine: a schema that is accepted once is always accepted
// (docs/decisions/constrained-decoding.md).
import { GrammarError } from './grammar-error.js';

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
  /** Steps of converting a JSON Schema to a grammar. */
  reading: 1_000_000,
  /** Steps of compiling a grammar for a vocabulary. */
  compiling: 1_000_000,
  /** Steps of computing one mask of the tokens that may come next. */
  token: 300_000,
  /** Steps of all work for one sampled answer. */
  answer: 3_000_000,
} as const;

interface Budget {
  readonly most: number;
  left: number;
}

/** The budgets in use, the innermost last: `within` may be nested, and each step counts for all. */
let budgets: readonly Budget[] = [];

/** Subtracts steps (work, or objects kept in memory) from all budgets in use. @throws {GrammarEffortError} if one is used up */
export function spend(steps: number): void {
  for (const budget of budgets) if ((budget.left -= steps) < 0) throw new GrammarEffortError(budget.most);
}

/** A budget of steps, which one or several calls of `within` may use. */
export class Effort {
  readonly #budget: Budget;

  /** Makes a budget of steps. `most`: the number of steps; null: no limit. */
  constructor(most: number | null) {
    this.#budget = { most: most ?? Infinity, left: most ?? Infinity };
  }

  /** Counts the steps that `work` takes. @throws {GrammarEffortError} if they exceed the budget */
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
