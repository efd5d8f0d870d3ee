// Computes the similarity of two texts, whatever the order of their words: thefuzz 0.19's token-set ratio, on Python's difflib.
import { maximum } from '@bowyer/core';
import { blockRatio } from './block-ratio.js';

/** Splits a text into lower-case words; Latin-1's accented letters are removed, as in thefuzz. */
const tokensOf = (text: string): Set<string> =>
  new Set(
    text
      .replace(/[\u0080-\u00ff]/g, '')
      .replace(/[^\p{L}\p{N}_]/gu, ' ')
      .toLowerCase()
      .split(/\s+/)
      .filter(Boolean),
  );

/** Converts a ratio to 0…100, rounded half to even. */
function percent(ratio: number): number {
  const value = 100 * ratio;
  const low = Math.floor(value);
  if (value - low !== 0.5) return Math.round(value);
  return low % 2 === 0 ? low : low + 1;
}

/**
 * Computes the score, where I are the common tokens and A, B those of one text alone, all sorted and joined by spaces:
 *
 *     max( ratio(I, I A), ratio(I, I B), ratio(I A, I B) )
 *
 * @returns 0…100, an integer; a text whose tokens are a subset of the other's scores 100, one without tokens 0
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
