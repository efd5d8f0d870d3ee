// A bound on what a template takes: steps, the length of a text, and depth. A template comes with a model that somebody else has
// published; `{{ 'a' * 1e9 }}` or a list that doubles itself a hundred times would end the process. The counts are the same on
// every machine, unlike seconds or bytes of memory.
import { TemplateError } from './template-error.js';

/** The error for a template that takes more work than a template may. */
export class TemplateLimitError extends TemplateError {
  override readonly name = 'TemplateLimitError';

  override at(line: number): TemplateLimitError {
    return new TemplateLimitError(this.problem, line);
  }
}

export const templateLimits = {
  /** Values that expressions have, rounds of loops, items of lists that are made or read; texts count by their length. */
  steps: 500_000,
  /** More steps for each value, and for each CHARACTERS_PER_STEP characters, of what the template is given. */
  stepsPerInput: 1000,
  /** UTF-16 code units of one text. */
  textLength: 1 << 22,
  /** Expressions, macros and recursive loops within each other. */
  depth: 400,
  /** Lists and dicts within each other. */
  nestedValues: 200,
  /** Characters of a template. */
  sourceLength: 1 << 20,
} as const;

/** Texts are copied and searched about so much faster than an expression is evaluated. */
const CHARACTERS_PER_STEP = 32;

/** A macro or a recursive loop takes more of the machine's stack than an expression. */
const CALL_DEPTH = 3;

interface Budget {
  steps: number;
}

const newBudget = (): Budget => ({ steps: templateLimits.steps });

/** The budget of the renderings that share one. */
let shared: Budget | null = null;

/** Runs several renderings that take together what one may: each adds what it is given. */
export function sharingSteps<Result>(run: () => Result): Result {
  const before = shared;
  shared ??= newBudget();
  try {
    return run();
  } finally {
    shared = before;
  }
}

export class Work {
  readonly #budget = shared ?? newBudget();
  #given = 0;
  #depth = 0;

  spend(steps: number): void {
    this.#budget.steps -= steps;
    if (this.#budget.steps < 0) throw new TemplateLimitError(`it takes more than ${templateLimits.steps} steps`);
  }

  /** Grants work for a value that the template is given, or a text of so many characters. */
  given(characters: number): void {
    this.#given += characters;
    this.#budget.steps += (1 + characters / CHARACTERS_PER_STEP) * templateLimits.stepsPerInput;
  }

  checkLength(characters: number): void {
    const most = templateLimits.textLength + 8 * this.#given;
    if (characters > most) throw new TemplateLimitError(`it writes a text of more than ${most} characters`);
  }

  enter(depth: number): void {
    this.#depth += depth;
    if (this.#depth > templateLimits.depth)
      throw new TemplateLimitError(
        `expressions and macros are within each other more than ${templateLimits.depth} deep`,
      );
  }

  leave(depth: number): void {
    this.#depth -= depth;
  }
}

/** The work of the rendering that runs now. A rendering runs to its next step without a break, so there is only one. */
let current: Work | null = null;

/** Runs a part of a rendering. The machine's own limits end whatever the checks have missed. */
export function working<Result>(work: Work, run: () => Result): Result {
  const before = current;
  current = work;
  try {
    return run();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TemplateLimitError(`it takes more than the machine has: ${error.message}`);
  } finally {
    current = before;
  }
}

export const spend = (steps: number): void => current?.spend(steps);

/** Counts that a text is read or copied. */
export const spendText = (text: string): void => current?.spend(text.length / CHARACTERS_PER_STEP);

/** Counts a text of this length before it is made. */
export function spendLength(characters: number): void {
  current?.checkLength(characters);
  current?.spend(characters / CHARACTERS_PER_STEP);
}

/** Checks the length before two texts become one, which copies neither. */
export const checkLength = (characters: number): void => current?.checkLength(characters);

/** Counts the items of a list before it is made. */
export const spendItems = spend;

/** Evaluates an expression within another. Errors end the rendering, so depth need not be restored after one. */
export function within<Result>(run: () => Result, depth = 1): Result {
  current?.enter(depth);
  const result = run();
  current?.leave(depth);
  return result;
}

/** Runs a macro, or a round of a recursive loop. */
export const withinCall = <Result>(run: () => Result): Result => within(run, CALL_DEPTH);

/** Refuses values that are nested too deep, also those that contain themselves. */
export function checkNesting(depth: number): void {
  if (depth > templateLimits.nestedValues)
    throw new TemplateLimitError(`lists and dicts are within each other more than ${templateLimits.nestedValues} deep`);
}
