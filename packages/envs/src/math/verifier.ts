// Decides whether a solution states the right answer. math.md has the grammar of answers.
import type { Answer } from './verifier/answer.js';
import { parseAnswer } from './verifier/answer-parser.js';
import { findAnswer } from './verifier/find-answer.js';
import { isSame } from './verifier/same-answer.js';
import { plainWords } from './verifier/words.js';
import { MAX_STEPS, Work } from './verifier/work.js';

export interface Verdict {
  /** The final answer of the solution; null if it states none. */
  answer: string | null;
  isCorrect: boolean;
}

/** The error for a reference that is not an answer: every solution would be wrong. */
export class NoReferenceError extends Error {
  override readonly name = 'NoReferenceError';
}

/**
 * Judges a solution by its final answer alone. Other numbers in it are ignored.
 *
 * @param reference the right answer, alone (`3/4`) or at the end of a solution (`… \boxed{\frac{3}{4}}`)
 * @param options.calculations whether a calculation is accepted if its value is the reference's number
 */
export function verify(
  solution: string,
  reference: string,
  { calculations = false }: { calculations?: boolean } = {},
): Verdict {
  const right = parseReference(reference);
  const found = findAnswer(solution) ?? (right.kind === 'value' ? null : { text: solution, isStated: true });
  if (found === null) return { answer: null, isCorrect: false };
  const given = parseAnswer(found.text);
  const isCorrect =
    given !== null &&
    (isSame(given, right, new Work(MAX_STEPS, calculations)) || isSameText(found.text, referenceText(reference)));
  return { answer: found.text, isCorrect };
}

/** Parses a reference. @throws {NoReferenceError} if it contains no answer */
export function parseReference(reference: string): Answer {
  const answer = parseAnswer(referenceText(reference));
  if (answer === null) throw new NoReferenceError(`${JSON.stringify(reference.slice(0, 80))} contains no answer`);
  return answer;
}

function referenceText(reference: string): string {
  const isAlone = !/\\f?boxed|####/.test(reference);
  return isAlone ? reference : (findAnswer(reference)?.text ?? '');
}

/** Compares answers that have no value as texts. Case matters only if both are mathematics. */
function isSameText(given: string, reference: string): boolean {
  const [a, b] = [given, reference].map((text) => ({ text: text.trim(), meaning: parseAnswer(text) }));
  if (wordsOf(a) !== wordsOf(b)) return false;
  return a.meaning?.kind === 'text' || b.meaning?.kind === 'text' || a.text === b.text;
}

const wordsOf = ({ text, meaning }: { text: string; meaning: Answer | null }): string =>
  meaning?.kind === 'text' ? meaning.text : plainWords(text);
