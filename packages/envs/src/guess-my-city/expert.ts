// Plays Guess My City by a script that asks the question whose answer is expected to give the most information about the city.
import type { Rng } from '@bowyer/core';
import { QuestionPlayer, type Ties } from '../guessing-game/question-player.js';
import type { CityQuestion } from './questions.js';

export class CityPlayer extends QuestionPlayer<CityQuestion, string> {
  /**
   * @param open whether the player also asks open questions (not yes/no) on turns that are not random
   * @param noise share of random turns: 65 % of them are a question, 20 % a guess, 15 % a repeated question
   */
  constructor(
    questions: readonly CityQuestion[],
    cityCount: number,
    private readonly open: boolean,
    noise: number,
    rng: Rng,
    ties: Ties,
  ) {
    const about = questions.filter(({ wins }) => wins === null);
    const guesses = questions.filter(({ wins }) => wins !== null);
    super(about, guesses, cityCount, noise, rng, ties);
  }

  protected override answerTo({ answers }: CityQuestion, place: number): string {
    return answers[place];
  }

  /** Returns the question with the most information. At equal information guesses are preferred, because they may win. */
  protected override best(): CityQuestion {
    const guesses = this.guesses.filter(({ wins }) => this.possible.includes(wins!));
    if (this.possible.length <= 2 && guesses.length > 0) return this.oneOf(guesses);
    let best: CityQuestion[] = [];
    let most = 1e-9;
    for (const question of [...guesses, ...this.questions]) {
      if (question.isOpen && !this.open) continue;
      const bits = this.#information(question);
      if (bits < most - 1e-9) continue;
      if (bits > most + 1e-9) best = [];
      most = Math.max(most, bits);
      best.push(question);
    }
    return best.length > 0 ? this.oneOf(best) : this.rng.choice(this.guesses);
  }

  /** Returns the information of a question: the entropy in bits of its answer over the cities that are still possible. */
  #information({ answers }: CityQuestion): number {
    const counts = new Map<string, number>();
    for (const place of this.possible) counts.set(answers[place], (counts.get(answers[place]) ?? 0) + 1);
    const total = this.possible.length;
    return [...counts.values()].reduce((bits, n) => bits - (n / total) * Math.log2(n / total), 0);
  }
}
