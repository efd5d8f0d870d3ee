// Computes the similarity of two texts regardless of word order: the token-set ratio of thefuzz 0.19.
import { maximum } from '@bowyer/core';
import { blockRatio } from './block-ratio.js';

/** Returns the set of words of a text in lower case. As in thefuzz, accented letters of Latin-1 are removed. */
const tokensOf = (text: string): Set<string> =>
  new Set(
    text
      .replace(/[\u0080-\u00ff]/g, '')
      .replace(/[^\p{L}\p{N}_]/gu, ' ')
      .toLowerCase()
      .split(/\s+/)
      .filter(Boolean),
  );

/** Converts a ratio from 0 to 1 to an integer percentage, rounding half to even as Python does. */
function percent(ratio: number): number {
  const value = 100 * ratio;
  const low = Math.floor(value);
  if (value - low !== 0.5) return Math.round(value);
  return low % 2 === 0 ? low : low + 1;
}

/**
 * Computes the similarity of two texts from sets of tokens. I are the tokens that both texts have; A and B are the tokens of only
 * one text; all are sorted and joined by spaces:
 *
 *     max( ratio(I, I A), ratio(I, I B), ratio(I A, I B) )
 *
 * @returns an integer from 0 to 100. It is 100 if one text's tokens are a subset of the other's, and 0 for a text without tokens
 */
export function tokenSetRatio(first: string, second: string): number {
  const [a, b] = [tokensOf(first), tokensOf(second)];
  if (a.size === 0 || b.size === 0) return 0;
  const sorted = (tokens: Iterable<string>) => [...tokens].sort();
  const common = sorted([...a].filter((token) => b.has(token)));
  const withA = [...common, ...sorted([...a].filter((token) => !b.has(token)))].join(' ');
  const withB = [...common, ...sorted([...b].filter((token) => !a.has(token)))].join(' ');
  const both = common.join(' ');
  const pairs = [
    [both, withA],
    [both, withB],
    [withA, withB],
  ];
  return maximum(pairs.map(([x, y]) => percent(blockRatio(x, y))));
}
