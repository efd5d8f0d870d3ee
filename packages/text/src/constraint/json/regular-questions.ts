// Questions to regular expressions: is a text one of theirs, and have they any?
import { RegularStates, type Regular } from '../regular.js';

/** States that are looked through for one that ends; with more the expression is taken to have texts. */
const MAX_STATES = 2_000;

export function regularMatches(expression: Regular, text: string): boolean {
  const states = new RegularStates();
  let state = states.of(expression);
  for (const character of text) {
    const point = character.codePointAt(0)!;
    const step = states.steps(state).find(([ranges]) => ranges.some(([from, to]) => from <= point && point <= to));
    if (!step) return false;
    state = step[1];
  }
  return state.isNullable;
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
