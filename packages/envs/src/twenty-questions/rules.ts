// Implements rules of Twenty Questions on texts: normalisation of an oracle's answer, and whether a question wins.
import type { Word } from './words.js';

export type Answer = 'Yes.' | 'No.' | 'Invalid Question.';

/**
 * Converts an oracle's text to one of the three answers. A "yes" anywhere in the text has priority over a "no" anywhere, so that
 * "unknown" and "not sure", which contain "no", become No. Source: ArCHer's normaliser, on which published scores depend.
 */
export function normalizeAnswer(said: string): Answer {
  const text = said.trim().toLowerCase();
  if (text.includes('yes')) return 'Yes.';
  if (text.includes('no')) return 'No.';
  return 'Invalid Question.';
}

/**
 * How to test whether a question wins. lastToken: the question's last space-separated token is a variant of the word (as in
 * ArCHer; a variant with a space never matches, so that seven of the 157 words cannot be won). suffixTokens: the question ends
 * with the tokens of a variant.
 */
export type WinTest = 'lastToken' | 'suffixTokens';

/** Returns whether the question names the word. Such a question wins only if the oracle's answer is "Yes.", too. */
export function namesWord(question: string, word: Word, winTest: WinTest): boolean {
  const text = question.toLowerCase().replace(/[^a-z]+$/, '');
  const lastToken = text.slice(text.lastIndexOf(' ') + 1);
  if (winTest === 'lastToken') return word.variants.includes(lastToken);
  return word.variants.some((variant) => text === variant || text.endsWith(` ${variant}`));
}

/** Returns whether any question can win the game with this word. */
export const isWinnable = (word: Word, winTest: WinTest) =>
  winTest === 'suffixTokens' || word.variants.some((variant) => !variant.includes(' '));
