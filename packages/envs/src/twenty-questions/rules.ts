// Applies the rules of Twenty Questions that need nothing but text: answers and the test for a win.
import type { Word } from './words.js';

export type Answer = 'Yes.' | 'No.' | 'Invalid Question.';

/**
 * Maps an oracle's text to one of the three answers. "yes" anywhere has priority over "no" anywhere, so that "unknown" and "not
 * sure" are No. Source: ArCHer's normaliser, on which published scores depend.
 */
export function normalizeAnswer(said: string): Answer {
  const text = said.trim().toLowerCase();
  if (text.includes('yes')) return 'Yes.';
  if (text.includes('no')) return 'No.';
  return 'Invalid Question.';
}

/**
 * The test for a win. lastToken: the question's last space-separated token is a variant (as in ArCHer; a variant with a space
 * never matches, so that seven of the 157 words cannot be won). suffixTokens: the question ends with the tokens of a variant.
 */
export type WinTest = 'lastToken' | 'suffixTokens';

/** Returns whether the question names the word. It wins only if the answer is "Yes." too. */
export function namesWord(question: string, word: Word, winTest: WinTest): boolean {
  const text = question.toLowerCase().replace(/[^a-z]+$/, '');
  const lastToken = text.slice(text.lastIndexOf(' ') + 1);
  if (winTest === 'lastToken') return word.variants.includes(lastToken);
  return word.variants.some((variant) => text === variant || text.endsWith(` ${variant}`));
}

/** Returns whether some question can win this word. */
export const isWinnable = (word: Word, winTest: WinTest) =>
  winTest === 'suffixTokens' || word.variants.some((variant) => !variant.includes(' '));
