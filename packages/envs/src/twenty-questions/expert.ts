// Plays Twenty Questions with a script that always asks the question with the largest expected information about the word.
import type { Rng } from '@bowyer/core';
import { QuestionPlayer, type Ties } from '../guessing-game/question-player.js';
import type { Truth } from './attributes/attribute.js';
import type { Question } from './questions.js';

/** The smallest number of possible words for which questions are cached; for fewer, computing them again is faster. */
const SMALLEST_KNOWN_SET = 8;

/** A cache of the best questions, by the set of questions and the words still possible, which recur in many games. */
const known = new WeakMap<readonly Question[], Map<string, readonly Question[]>>();

export class InformationGainPlayer extends QuestionPlayer<Question, Truth> {
  readonly #known: Map<string, readonly Question[]>;

  /**
   * @param questions each with its answer for all of the `wordCount` words
   * @param noise share of random turns: 65 % of them ask about an attribute, 20 % guess, 15 % repeat a question
   */
  constructor(questions: readonly Question[], wordCount: number, noise: number, rng: Rng, ties: Ties = 'drawn') {
    const attributes = questions.filter(({ guess }) => guess === null);
    const guesses = questions.filter(({ guess }) => guess !== null);
    super(attributes, guesses, wordCount, noise, rng, ties);
    if (!known.has(questions)) known.set(questions, new Map());
    this.#known = known.get(questions)!;
  }

  protected override answerTo({ truths }: Question, place: number): Truth {
    return truths[place];
  }

  /** Returns the question that splits the possible words most evenly; of equal ones a guess, since it may win. */
  protected override best(): Question {
    const best = this.#bestQuestions();
    return best.length > 0 ? this.oneOf(best) : this.#lastResort();
  }

  #bestQuestions(): readonly Question[] {
    if (this.possible.length < SMALLEST_KNOWN_SET) return this.#splitting();
    const key = this.possible.join();
    let best = this.#known.get(key);
    if (!best) this.#known.set(key, (best = this.#splitting()));
    return best;
  }

  #splitting(): Question[] {
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
    return best;
  }

  /** Returns a question for the case that none distinguishes words: a guess that may win, else one that was not asked yet. */
  #lastResort(): Question {
    const winning = this.guesses.filter(({ wins }) => wins !== null && this.possible.includes(wins));
    if (winning.length > 0) return this.oneOf(winning);
    const fresh = [...this.guesses, ...this.questions].filter((question) => !this.asked.includes(question));
    return fresh.length > 0 ? this.oneOf(fresh) : this.random();
  }

  /** Returns the entropy in bits of the answer to a question, if all words that are still possible are equally likely. */
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
