// Computes the largest expected return of a player of Twenty Questions, by dynamic programming over the sets of possible words.
import type { Truth } from './attributes/attribute.js';
import type { Question } from './questions.js';

/** The largest number of words for which the optimum is computed, since the table may have 2^words entries. */
const LARGEST = 16;

/**
 * Computes the exact expected undiscounted return of an optimal player that may ask any of `questions` and knows all their
 * answers. Words are uniformly distributed; a turn costs −1, the winning one 0.
 *
 *     V(S, 0) = 0
 *     V(S, t) = max over q of  Σ over answers a of  P(a | S) · ( [q wins] ? 0 : −1 + V(S with answer a, t − 1) )
 *
 * A question that does not split S is never better than one that does, and |S| turns suffice to guess every word of S, so that
 * only min(t, |S|) of the remaining turns matter.
 *
 * @param wordCount number of words in the answers; at most 16
 * @param questions as from `questionSet`; each word must have a guess that wins it
 */
export function optimalReturn(wordCount: number, questions: readonly Question[], maxTurns: number): number {
  if (wordCount > LARGEST) {
    throw new RangeError(`optimalReturn: ${wordCount} words are too many to solve exactly; at most ${LARGEST}`);
  }
  for (let place = 0; place < wordCount; place++) {
    if (!questions.some(({ wins }) => wins === place)) {
      throw new RangeError(`optimalReturn: no question wins word ${place}; drop it or use winTest 'suffixTokens'`);
    }
  }
  const splits = distinctSplits(wordCount, questions);
  return solve((1 << wordCount) - 1, maxTurns, splits, new Map()) / wordCount;
}

/** The answers to a question as bit masks, in which bit i stands for word i. */
interface Split {
  yes: number;
  no: number;
  unclear: number;
  /** The bit of the word with which this question wins; 0 if it wins with none. */
  wins: number;
}

function distinctSplits(wordCount: number, questions: readonly Question[]): Split[] {
  const splits = new Map<string, Split>();
  for (const { truths, wins } of questions) {
    const mask = (truth: Truth) =>
      truths.slice(0, wordCount).reduce((bits, other, place) => (other === truth ? bits | (1 << place) : bits), 0);
    const split = { yes: mask('yes'), no: mask('no'), unclear: mask('unclear'), wins: wins === null ? 0 : 1 << wins };
    splits.set(`${split.yes} ${split.unclear} ${split.wins}`, split);
  }
  return [...splits.values()];
}

/** Returns the largest sum of returns over the words of a set, |S| times the expected return, so that sums are integers. */
function solve(possible: number, turnsLeft: number, splits: readonly Split[], known: Map<number, number>): number {
  const size = countBits(possible);
  const turns = Math.min(turnsLeft, size);
  if (turns === 0) return 0;
  const key = possible * (LARGEST + 1) + turns;
  const before = known.get(key);
  if (before !== undefined) return before;
  let best = -Infinity;
  for (const { yes, no, unclear, wins } of splits) {
    const parts = [possible & yes & ~wins, possible & no, possible & unclear];
    const isUseless = parts.some((part) => part === possible);
    if (isUseless) continue;
    const value = parts.reduce(
      (sum, part) => (part === 0 ? sum : sum - countBits(part) + solve(part, turns - 1, splits, known)),
      0,
    );
    best = Math.max(best, value);
  }
  known.set(key, best);
  return best;
}

function countBits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
