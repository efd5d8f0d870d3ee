// Limits the work of templates: steps, text length, and depth. Templates come with published models and are not trusted: `{{ 'a' * 1e9
// }}`, or a list that doubles itself a hundred times, would crash the process. Unlike seconds or bytes of memory, the counts are the
// same on every machine.
import { TemplateError } from './template-error.js';

/** Thrown for a template that exceeds the limits. */
export class TemplateLimitError extends TemplateError {
  override readonly name = 'TemplateLimitError';

  override at(line: number): TemplateLimitError {
    return new TemplateLimitError(this.problem, line);
  }
}

export const templateLimits = {
  /** Values of expressions, iterations of loops, and items of lists that are made or read; texts count by their length. */
  steps: 500_000,
  /** Additional steps for each input value, and for every CHARACTERS_PER_STEP characters of input. */
  stepsPerInput: 1000,
  /** UTF-16 code units of a text. */
  textLength: 1 << 22,
  /** Nested expressions, macros and recursive loops. */
  depth: 400,
  /** Nested lists and dicts. */
  nestedValues: 200,
  /** Characters of a template. */
  sourceLength: 1 << 20,
} as const;

/** The number of characters that are copied or searched in about the time in which an expression is evaluated. */
const CHARACTERS_PER_STEP = 32;

/** The depth that a macro or a recursive loop counts, since it uses more of the stack than an expression. */
const CALL_DEPTH = 3;

interface Budget {
  steps: number;
}

const newBudget = (): Budget => ({ steps: templateLimits.steps });

/** The steps left to the renderings inside `sharingSteps`; null outside. */
let shared: Budget | null = null;

/** Runs several renderings with one budget of steps. Each rendering adds steps for the size of its input. */
export function sharingSteps<Result>(run: () => Result): Result {
  const before = shared;
  shared ??= newBudget();
  try {
    return run();
  } finally {
    shared = before;
  }
}

/** Counts the work of one rendering. */
export class Work {
  readonly #budget = shared ?? newBudget();
  #given = 0;
  #depth = 0;

  spend(steps: number): void {
    this.#budget.steps -= steps;
    if (this.#budget.steps < 0) throw new TemplateLimitError(`it takes more than ${templateLimits.steps} steps`);
  }

  /**
   * Counts one value that is passed to the template, and adds steps to the budget for it.
   *
   * @param characters of the value if it is a text, else 0
   */
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

/** Runs a part of a rendering. It also converts errors of JavaScript's own limits, for work that the counts do not include. */
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

/** Counts the work of reading or copying a text. */
export const spendText = (text: string): void => current?.spend(text.length / CHARACTERS_PER_STEP);

/** Counts the work of a text with this length before it is made. */
export function spendLength(characters: number): void {
  current?.checkLength(characters);
  current?.spend(characters / CHARACTERS_PER_STEP);
}

/** Checks the length before two texts are concatenated, which copies neither. */
export const checkLength = (characters: number): void => current?.checkLength(characters);

/** Counts the work of a list's items before it is made. */
export const spendItems = spend;

/** Evaluates a nested expression. An error ends the rendering, so the depth need not be restored then. */
export function within<Result>(run: () => Result, depth = 1): Result {
  current?.enter(depth);
  const result = run();
  current?.leave(depth);
  return result;
}

/** Runs a macro, or an iteration of a recursive loop. */
export const withinCall = <Result>(run: () => Result): Result => within(run, CALL_DEPTH);

/** Refuses values that are nested too deeply, or that contain themselves. */
export function checkNesting(depth: number): void {
  if (depth > templateLimits.nestedValues)
    throw new TemplateLimitError(`lists and dicts are within each other more than ${templateLimits.nestedValues} deep`);
}
