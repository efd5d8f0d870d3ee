// Generates the random numbers of the Z-machine's opcode `random`. The generator is seeded like that of the interpreters in C
// (Frotz, Jericho), so that games which were recorded with them can be reproduced.

export interface StoryRandomState {
  state: number;
  period: number;
  count: number;
}

/**
 * A linear congruential generator with 15 bits per draw, as in Frotz and Jericho:
 *
 *     state ← (0x015A4E35 · state + 1) mod 2³²,   draw = ⌊state / 2¹⁶⌋ mod 2¹⁵
 *
 * A game may request a predictable sequence (opcode `random` with −n, 0 < n < 1000): then the draws are 0, 1, …, n − 1, 0, …
 * (Standards Document 1.1, remarks on section 2).
 */
export class StoryRandom {
  #seed = 0;
  #state = 0;
  #period = 0;
  #count = 0;
  /** The number of draws so far, by which a caller sees whether a command drew a random number. */
  drawCount = 0;

  constructor(seed: number) {
    this.reseed(seed);
  }

  /** Seeds the generator for an episode. */
  reseed(seed: number): void {
    this.#seed = seed >>> 0;
    this.#start(this.#seed);
  }

  #start(state: number): void {
    [this.#state, this.#period, this.#count] = [state, 0, 0];
  }

  /** Seeds the generator at the game's request. @param value absolute value of the argument ≤ 0 of opcode `random` */
  seedFromStory(value: number): void {
    if (value === 0) this.#start(this.#seed); // unpredictable by the standard; here the episode's seed determines it
    else if (value < 1000) [this.#period, this.#count] = [value, 0];
    else this.#start(value);
  }

  draw(range: number): number {
    this.drawCount++;
    if (this.#period > 0) {
      const value = this.#count;
      this.#count = (this.#count + 1) % this.#period;
      return (value % range) + 1;
    }
    this.#state = (Math.imul(0x015a4e35, this.#state) + 1) >>> 0;
    return (((this.#state >>> 16) & 0x7fff) % range) + 1;
  }

  save(): StoryRandomState {
    return { state: this.#state, period: this.#period, count: this.#count };
  }

  restore({ state, period, count }: StoryRandomState): void {
    [this.#state, this.#period, this.#count] = [state, period, count];
  }
}
