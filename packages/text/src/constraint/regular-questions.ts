// Questions to regular expressions: is a text one of theirs, and have they any?
import { spend } from './effort.js';
import { RegularStates, type Regular, type RegularState } from './regular.js';

/** States that are looked through for one that ends; with more the expression is taken to have texts. */
const MAX_STATES = 2_000;

/** Characters of a text that are looked at in one step. */
const CHARACTERS_PER_STEP = 4;

/** Many texts for one expression, each in time that grows with its length alone: states are kept. */
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

export function regularHasText(expression: Regular): boolean {
  const states = new RegularStates();
  const reached = new Set([states.of(expression)]);
  for (const state of reached) {
    if (state.isNullable || reached.size > MAX_STATES) return true;
    for (const [, next] of states.steps(state)) reached.add(next);
  }
  return false;
}
