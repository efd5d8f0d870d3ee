// A scripted player that asks what is expected to tell most about the city.
import type { Rng } from '@bowyer/core';
import type { CityQuestion } from './questions.js';

export class CityPlayer {
  #possible: number[];
  readonly #asked: CityQuestion[] = [];
  readonly #guesses: readonly CityQuestion[];
  readonly #about: readonly CityQuestion[];

  /**
   * @param open whether it asks open questions; on a random turn it does in any case
   * @param noise share of turns that are random: 65 % a question, 20 % a guess, 15 % an earlier one again
   */
  constructor(
    questions: readonly CityQuestion[],
    cityCount: number,
    private readonly open: boolean,
    private readonly noise: number,
    private readonly rng: Rng,
  ) {
    this.#possible = Array.from({ length: cityCount }, (_, place) => place);
    this.#guesses = questions.filter(({ wins }) => wins !== null);
    this.#about = questions.filter(({ wins }) => wins === null);
  }

  ask(): CityQuestion {
    const question = this.rng.uniform() < this.noise ? this.#random() : this.#best();
    this.#asked.push(question);
    return question;
  }

  /** Keeps the cities that answer so. */
  learn(answer: string): void {
    const { answers, wins } = this.#asked.at(-1)!;
    this.#possible = this.#possible.filter((place) => answers[place] === answer && place !== wins);
  }

  #random(): CityQuestion {
    const draw = this.rng.uniform();
    if (draw < 0.65 && this.#about.length > 0) return this.rng.choice(this.#about);
    return draw < 0.85 || this.#asked.length === 0 ? this.rng.choice(this.#guesses) : this.rng.choice(this.#asked);
  }

  /** A guess counts as a question and is preferred where it tells as much, because it may win. Ties are drawn. */
  #best(): CityQuestion {
    const guesses = this.#guesses.filter(({ wins }) => this.#possible.includes(wins!));
    if (this.#possible.length <= 2 && guesses.length > 0) return this.rng.choice(guesses);
    let best: CityQuestion[] = [];
    let most = 1e-9;
    for (const question of [...guesses, ...this.#about]) {
      if (question.isOpen && !this.open) continue;
      const bits = this.#information(question);
      if (bits < most - 1e-9) continue;
      if (bits > most + 1e-9) best = [];
      most = Math.max(most, bits);
      best.push(question);
    }
    return best.length > 0 ? this.rng.choice(best) : this.rng.choice(this.#guesses);
  }

  /** Bits of the split of the possible cities by their answers. */
  #information({ answers }: CityQuestion): number {
    const counts = new Map<string, number>();
    for (const place of this.#possible) counts.set(answers[place], (counts.get(answers[place]) ?? 0) + 1);
    const total = this.#possible.length;
    return [...counts.values()].reduce((bits, n) => bits - (n / total) * Math.log2(n / total), 0);
  }
}
