// The rules of Twenty Questions that depend on text alone: answers and the test for a win.
import type { Word } from './words.js';

export type Answer = 'Yes.' | 'No.' | 'Invalid Question.';

/**
 * Maps the text of an oracle to the three answers of the game. "yes" anywhere wins over "no" anywhere, so "unknown" and
 * "not sure" are No.
 * Source: ArCHer's normaliser; kept because published scores depend on it.
 */
export function normalizeAnswer(said: string): Answer {
  const text = said.trim().toLowerCase();
  if (text.includes('yes')) return 'Yes.';
  if (text.includes('no')) return 'No.';
  return 'Invalid Question.';
}

/**
 * How a question wins. lastToken: the last space-separated token of the question is a variant (ArCHer; a variant with a space
 * can never match, so that seven of the 157 words cannot be won). suffixTokens: the question's last tokens are a variant.
 */
export type WinTest = 'lastToken' | 'suffixTokens';

/** Returns whether the question names the word; it wins only together with the answer "Yes.". */
export function namesWord(question: string, word: Word, winTest: WinTest): boolean {
  const text = question.toLowerCase().replace(/[^a-z]+$/, '');
  const lastToken = text.slice(text.lastIndexOf(' ') + 1);
  if (winTest === 'lastToken') return word.variants.includes(lastToken);
  return word.variants.some((variant) => text === variant || text.endsWith(` ${variant}`));
}

/** Returns whether some question can win this word. */
export const isWinnable = (word: Word, winTest: WinTest) =>
  winTest === 'suffixTokens' || word.variants.some((variant) => !variant.includes(' '));
