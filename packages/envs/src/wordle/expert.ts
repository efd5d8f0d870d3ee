// Implements the expert of Wordle, which makes the guess with the largest expected information about the hidden word.
import type { Rng } from '@bowyer/core';
import { Knowledge } from './knowledge.js';

/** Returns the possible word with the largest expected information as a guess; among equal ones, one is drawn. */
export function bestGuess(possible: readonly string[], rng: Rng): string {
  let best: string[] = [];
  let most = -1;
  for (const guess of possible) {
    const bits = information(guess, possible);
    if (bits < most - 1e-9) continue;
    if (bits > most + 1e-9) best = [];
    most = Math.max(most, bits);
    best.push(guess);
  }
  return rng.choice(best);
}

/** Returns the entropy in bits of the answer to a guess, if all words that are still possible are equally likely. */
function information(guess: string, possible: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const hidden of possible) {
    const answer = Knowledge.nothing.after(guess, hidden).colours(guess);
    counts.set(answer, (counts.get(answer) ?? 0) + 1);
  }
  return [...counts.values()].reduce((bits, n) => bits - (n / possible.length) * Math.log2(n / possible.length), 0);
}
