// Whether a solution states the right answer. Exact: a rational number is compared as a rational number, however it is written.
import { findAnswer, parseAnswer, type Answer } from './answer.js';
import { Fraction } from './fraction.js';

export interface Verdict {
  /** What the solution states; null where it states nothing. */
  answer: string | null;
  isCorrect: boolean;
}

/** Thrown for a reference that is no answer: every solution would be wrong. */
export class NoReferenceError extends Error {
  override readonly name = 'NoReferenceError';
}

/**
 * Judges a solution by its final answer alone. Numbers elsewhere in the solution, or in the problem, count for nothing.
 *
 * @param reference the right answer, alone (`3/4`) or as the end of a solution (`… \boxed{\frac{3}{4}}`)
 */
export function verify(solution: string, reference: string): Verdict {
  const right = parseReference(reference);
  const found = findAnswer(solution) ?? (right.kind === 'value' ? null : { text: solution, isStated: true });
  if (found === null) return { answer: null, isCorrect: false };
  const given = parseAnswer(found.text);
  return { answer: found.text, isCorrect: given !== null && isSame(given, right) };
}

/** @throws {NoReferenceError} where nothing could be compared with it */
export function parseReference(reference: string): Answer {
  const isAlone = !/\\f?boxed|####/.test(reference);
  const text = isAlone ? reference : (findAnswer(reference)?.text ?? '');
  const answer = parseAnswer(text);
  if (answer === null) throw new NoReferenceError(`${JSON.stringify(reference.slice(0, 80))} contains no answer`);
  return answer;
}

/** @param right the reference, whose unit decides what a percentage means */
export function isSame(given: Answer, right: Answer): boolean {
  if (given.kind === 'value' && right.kind === 'value') return isSameValue(given, right);
  if (given.kind === 'list' && right.kind === 'list') return isSameList(given, right);
  return given.kind === 'text' && right.kind === 'text' && given.text === right.text;
}

type Value = Extract<Answer, { kind: 'value' }>;

const HUNDREDTH = Fraction.of(1, 100);

/** 50% is 1/2. Where the reference is a percentage, the number alone is right too: the question asked for a percentage. */
function isSameValue(given: Value, right: Value): boolean {
  // Where a number is asked for, the problem written again (`27 + 48`) is not its answer.
  if (right.value.isNumber && !given.value.isNumber) return false;
  if (given.unit === '%' || right.unit === '%') {
    if (given.unit === right.unit || (!given.unit && given.value.equals(right.value)))
      return given.value.equals(right.value);
    const [a, b] = [asShare(given), asShare(right)];
    return a !== null && b !== null && a.equals(b);
  }
  // Words that are no measures ("12 apples") say nothing; two measures must be the same one.
  if (given.unit && right.unit && given.unit !== right.unit) return false;
  return given.value.equals(right.value);
}

function asShare({ value, unit }: Value): Fraction | null {
  if (unit && unit !== '%') return null;
  return unit === '%' ? (value.exact?.times(HUNDREDTH) ?? null) : value.exact;
}

type List = Extract<Answer, { kind: 'list' }>;

function isSameList(given: List, right: List): boolean {
  if (given.members.length !== right.members.length) return false;
  if (given.isOrdered || right.isOrdered) {
    const isSameBrackets = given.open === right.open && given.close === right.close;
    return isSameBrackets && given.members.every((member, i) => isSame(member, right.members[i]));
  }
  // Each member has its own partner; sameness is an equivalence but for percentages, so the first partner will do.
  const left = [...right.members];
  return given.members.every((member) => {
    const partner = left.findIndex((other) => isSame(member, other));
    if (partner >= 0) left.splice(partner, 1);
    return partner >= 0;
  });
}
