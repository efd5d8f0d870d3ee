// Decides whether the final answer of a written solution equals the reference answer. math.md has the grammar of answers.
import type { Answer } from './verifier/answer.js';
import { parseAnswer } from './verifier/answer-parser.js';
import { findAnswer } from './verifier/find-answer.js';
import { isSame } from './verifier/same-answer.js';
import { plainWords } from './verifier/words.js';
import { MAX_STEPS, Work } from './verifier/work.js';

export interface Verdict {
  /** The final answer that the solution states; null if it states none. */
  answer: string | null;
  isCorrect: boolean;
}

/** The error for a reference from which no answer can be parsed, since every solution would count as wrong. */
export class NoReferenceError extends Error {
  override readonly name = 'NoReferenceError';
}

/**
 * Decides whether a solution is right by its final answer alone. Other numbers in the solution are ignored.
 *
 * @param reference the right answer, alone (`3/4`) or at the end of a solution (`… \boxed{\frac{3}{4}}`)
 * @param options.calculations whether a calculation such as `27 + 48` is accepted if its value equals the reference
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

/** Parses the answer in a reference text. @throws {NoReferenceError} if the text contains no answer */
export function parseReference(reference: string): Answer {
  const answer = parseAnswer(referenceText(reference));
  if (answer === null) throw new NoReferenceError(`${JSON.stringify(reference.slice(0, 80))} contains no answer`);
  return answer;
}

function referenceText(reference: string): string {
  const isAlone = !/\\f?boxed|####/.test(reference);
  return isAlone ? reference : (findAnswer(reference)?.text ?? '');
}

/** Compares two answers that are texts. Upper and lower case differ only if both are mathematical expressions. */
function isSameText(given: string, reference: string): boolean {
  const [a, b] = [given, reference].map((text) => ({ text: text.trim(), meaning: parseAnswer(text) }));
  if (wordsOf(a) !== wordsOf(b)) return false;
  return a.meaning?.kind === 'text' || b.meaning?.kind === 'text' || a.text === b.text;
}

const wordsOf = ({ text, meaning }: { text: string; meaning: Answer | null }): string =>
  meaning?.kind === 'text' ? meaning.text : plainWords(text);
