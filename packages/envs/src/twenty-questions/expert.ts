// A scripted player that asks the question with the most information about the words still possible.
import type { Rng } from '@bowyer/core';
import type { Truth } from './attributes/attribute.js';
import type { Question } from './questions.js';

/** Shares of a random turn: any attribute, any guess, an earlier question of the episode again. */
const randomTurn = { attribute: 0.65, guess: 0.2 } as const;

export class InformationGainPlayer {
  #possible: number[];
  /** Questions asked in this episode, in order. */
  readonly #asked: Question[] = [];
  readonly #attributes: readonly Question[];
  readonly #guesses: readonly Question[];

  /**
   * @param questions what it may ask, with answers for `wordCount` words
   * @param noise share of turns that are random: 65 % an attribute, 20 % a guess, 15 % a repeat
   */
  constructor(
    questions: readonly Question[],
    wordCount: number,
    private readonly noise: number,
    private readonly rng: Rng,
  ) {
    this.#possible = Array.from({ length: wordCount }, (_, place) => place);
    this.#attributes = questions.filter(({ guess }) => guess === null);
    this.#guesses = questions.filter(({ guess }) => guess !== null);
  }

  /** The next question; tell the player the answer with `learn`. */
  ask(): Question {
    const question = this.rng.uniform() < this.noise ? this.#randomQuestion() : this.#bestQuestion();
    this.#asked.push(question);
    return question;
  }

  /** Keeps the words for which the last question has this answer. */
  learn(answer: Truth): void {
    const { truths, wins } = this.#asked[this.#asked.length - 1];
    // A win ends the episode, so whoever still plays has not got the word that this question wins.
    this.#possible = this.#possible.filter((place) => truths[place] === answer && place !== wins);
  }

  #randomQuestion(): Question {
    const draw = this.rng.uniform();
    if (draw < randomTurn.attribute && this.#attributes.length > 0) return this.rng.choice(this.#attributes);
    if (draw < randomTurn.attribute + randomTurn.guess || this.#asked.length === 0)
      return this.rng.choice(this.#guesses);
    return this.rng.choice(this.#asked);
  }

  /**
   * The most even split of the possible words; a guess of one of them counts as a question like any other and is
   * preferred when it splits as well, because it may also win. Ties are drawn.
   */
  #bestQuestion(): Question {
    let best: Question[] = [];
    let most = 0;
    for (const question of [...this.#guesses, ...this.#attributes]) {
      const bits = this.#information(question);
      if (bits < most - 1e-9 || bits === 0) continue;
      if (bits > most + 1e-9) best = [];
      else if (best[0]?.guess !== null && question.guess === null) continue;
      most = Math.max(most, bits);
      best.push(question);
    }
    if (best.length > 0) return this.rng.choice(best);
    return this.#lastResort();
  }

  /** Nothing splits what is left: guess it, or, when it cannot be won, ask what was not asked yet. */
  #lastResort(): Question {
    const winning = this.#guesses.filter(({ wins }) => wins !== null && this.#possible.includes(wins));
    if (winning.length > 0) return this.rng.choice(winning);
    const fresh = [...this.#guesses, ...this.#attributes].filter((question) => !this.#asked.includes(question));
    return fresh.length > 0 ? this.rng.choice(fresh) : this.#randomQuestion();
  }

  /** Bits of the split of the possible words by the answers. */
  #information({ truths }: Question): number {
    const total = this.#possible.length;
    let yes = 0;
    let no = 0;
    for (const place of this.#possible) {
      if (truths[place] === 'yes') yes++;
      else if (truths[place] === 'no') no++;
    }
    return [yes, no, total - yes - no].reduce(
      (bits, n) => (n === 0 ? bits : bits - (n / total) * Math.log2(n / total)),
      0,
    );
  }
}
