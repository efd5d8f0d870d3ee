// Decides whether a regular expression of regular.ts matches a given text, and whether it matches any text at all.
import { matchAnywhere, UnsupportedPatternError } from './ecma-pattern.js';
import { Effort, GrammarEffortError, spend } from './effort.js';
import { RegularStates, type Regular, type RegularState } from './regular.js';

/** If more states are searched without a final one, the expression is taken to match some text. */
const MAX_STATES = 2_000;

/** The number of characters of a text whose matching counts as one step of work (see effort.ts). */
const CHARACTERS_PER_STEP = 4;

/** Matches texts with one expression. The time for each is linear in its length, since states are cached. */
export class RegularMatcher {
  readonly #states = new RegularStates();
  readonly #first: RegularState;

  constructor(expression: Regular) {
    this.#first = this.#states.of(expression);
  }

  matches(text: string): boolean {
    spend(Math.ceil(text.length / CHARACTERS_PER_STEP));
    let state = this.#first;
    for (const character of text) {
      const point = character.codePointAt(0)!;
      const steps = this.#states.steps(state);
      const step = steps.find(([ranges]) => ranges.some(([from, to]) => from <= point && point <= to));
      if (!step) return false;
      state = step[1];
    }
    return state.isNullable;
  }
}

/** The steps of work after which `hasPattern` gives up. */
const STEPS_OF_PATTERN = 20_000;

/**
 * Decides in bounded time whether a pattern matches somewhere; null if it takes too much work or an automaton cannot express it.
 */
export function hasPattern(source: string, text: string): boolean | null {
  try {
    return new Effort(STEPS_OF_PATTERN).within(() => new RegularMatcher(matchAnywhere(source)).matches(text));
  } catch (error) {
    if (error instanceof UnsupportedPatternError || error instanceof GrammarEffortError) return null;
    throw error;
  }
}

export function regularHasText(expression: Regular): boolean {
  const states = new RegularStates();
  const reached = new Set([states.of(expression)]);
  for (const state of reached) {
    if (state.isNullable || reached.size > MAX_STATES) return true;
    for (const [, next] of states.steps(state)) reached.add(next);
  }
  return false;
}
