// Questions to regular expressions: is a text one of theirs, and have they any?
import { matchAnywhere, UnsupportedPatternError } from './ecma-pattern.js';
import { Effort, GrammarEffortError, spend } from './effort.js';
import { RegularStates, type Regular, type RegularState } from './regular.js';

/** States that are looked through for one that ends; with more the expression is taken to have texts. */
const MAX_STATES = 2_000;

/** Characters of a text that are looked at in one step. */
const CHARACTERS_PER_STEP = 4;

/** Matches many texts with one expression, each in a time that grows with its length alone, since states are kept. */
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

/** Steps to decide whether one text has a pattern; a pattern that takes more is not decided. */
const STEPS_OF_PATTERN = 20_000;

/**
 * Decides whether a pattern of ECMAScript matches somewhere in a text, in bounded time.
 *
 * @returns null where the pattern takes too much work, or is of a construct that no automaton has
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
