// Limits the work of rendering Jinja templates, which come with published models and are not trusted: `{{ 'a' * 1e9 }}`, or a
// list that doubles itself a hundred times, would crash the process. Unlike seconds or bytes of memory, the counts are the same
// on every machine.
import { TemplateError } from './template-error.js';

export class TemplateLimitError extends TemplateError {
  override readonly name = 'TemplateLimitError';

  override at(line: number): TemplateLimitError {
    return new TemplateLimitError(this.problem, line);
  }
}

export const templateLimits = {
  /**
   * Each evaluation of an expression, iteration of a loop, and item of a list that is made or read is a step; texts count by
   * length.
   */
  steps: 500_000,
  /** Additional steps for each input value, and for every CHARACTERS_PER_STEP characters of input. */
  stepsPerInput: 1000,
  /** The largest number of UTF-16 code units of a text that a template makes. */
  textLength: 1 << 22,
  /** The largest depth of nested expressions, macros and recursive loops. */
  depth: 400,
  /** The largest depth of nested lists and dicts. */
  nestedValues: 200,
  /** The largest number of characters of a template's source. */
  sourceLength: 1 << 20,
} as const;

/** Copying or searching so many characters takes about as long as evaluating an expression. */
const CHARACTERS_PER_STEP = 32;

/** A macro or a recursive loop uses more of JavaScript's stack than an expression. */
const CALL_DEPTH = 3;

interface Budget {
  steps: number;
}

const newBudget = (): Budget => ({ steps: templateLimits.steps });

/** The budget of steps that the renderings inside `sharingSteps` share; null outside of it. */
let shared: Budget | null = null;

/** Runs several renderings with one common budget of steps. Each rendering adds steps for the size of its input. */
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

  /** Adds steps to the budget for an input value. `characters`: its length if it is a text, else 0. */
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

/** The work of the running rendering. A rendering runs to its next step without interruption, so there is only one. */
let current: Work | null = null;

/**
 * An error of JavaScript's own limits (stack, string length), which the counts do not always prevent, becomes a
 * TemplateLimitError.
 */
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

export const spendText = (text: string): void => current?.spend(text.length / CHARACTERS_PER_STEP);

/** Counts the work of making a text of this length; it is called before the text is made. */
export function spendLength(characters: number): void {
  current?.checkLength(characters);
  current?.spend(characters / CHARACTERS_PER_STEP);
}

/** Checks the length of a text that is concatenated from two; it counts no work, since JavaScript copies neither. */
export const checkLength = (characters: number): void => current?.checkLength(characters);

/** Counts the work of making a list of this many items; it is called before the list is made. */
export const spendItems = spend;

/** An error ends the rendering, so the depth is not restored after an error. */
export function within<Result>(run: () => Result, depth = 1): Result {
  current?.enter(depth);
  const result = run();
  current?.leave(depth);
  return result;
}

export const withinCall = <Result>(run: () => Result): Result => within(run, CALL_DEPTH);

/** Throws an error for values that are nested too deeply, or that contain themselves. */
export function checkNesting(depth: number): void {
  if (depth > templateLimits.nestedValues)
    throw new TemplateLimitError(`lists and dicts are within each other more than ${templateLimits.nestedValues} deep`);
}
