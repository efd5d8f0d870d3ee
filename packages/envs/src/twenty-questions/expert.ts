// A scripted player that asks the question with the most information about the words still possible.
import type { Rng } from '@bowyer/core';
import { QuestionPlayer, type Ties } from '../guessing-game/question-player.js';
import type { Truth } from './attributes/attribute.js';
import type { Question } from './questions.js';

export class InformationGainPlayer extends QuestionPlayer<Question, Truth> {
  /**
   * @param questions what it may ask, with answers for `wordCount` words
   * @param noise share of turns that are random: 65 % an attribute, 20 % a guess, 15 % a repeat
   */
  constructor(questions: readonly Question[], wordCount: number, noise: number, rng: Rng, ties: Ties = 'drawn') {
    const attributes = questions.filter(({ guess }) => guess === null);
    const guesses = questions.filter(({ guess }) => guess !== null);
    super(attributes, guesses, wordCount, noise, rng, ties);
  }

  protected override answerTo({ truths }: Question, place: number): Truth {
    return truths[place];
  }

  /**
   * The most even split of the possible words; a guess of one of them counts as a question like any other and is
   * preferred when it splits as well, because it may also win.
   */
  protected override best(): Question {
    let best: Question[] = [];
    let most = 0;
    for (const question of [...this.guesses, ...this.questions]) {
      const bits = this.#information(question);
      if (bits < most - 1e-9 || bits === 0) continue;
      if (bits > most + 1e-9) best = [];
      else if (best[0]?.guess !== null && question.guess === null) continue;
      most = Math.max(most, bits);
      best.push(question);
    }
    return best.length > 0 ? this.oneOf(best) : this.#lastResort();
  }

  /** Nothing splits what is left: guess it, or, when it cannot be won, ask what was not asked yet. */
  #lastResort(): Question {
    const winning = this.guesses.filter(({ wins }) => wins !== null && this.possible.includes(wins));
    if (winning.length > 0) return this.oneOf(winning);
    const fresh = [...this.guesses, ...this.questions].filter((question) => !this.asked.includes(question));
    return fresh.length > 0 ? this.oneOf(fresh) : this.random();
  }

  /** Bits of the split of the possible words by the answers. */
  #information({ truths }: Question): number {
    const total = this.possible.length;
    let yes = 0;
    let no = 0;
    for (const place of this.possible) {
      if (truths[place] === 'yes') yes++;
      else if (truths[place] === 'no') no++;
    }
    return [yes, no, total - yes - no].reduce(
      (bits, n) => (n === 0 ? bits : bits - (n / total) * Math.log2(n / total)),
      0,
    );
  }
}
