/** Draws numbers from a seed with Marsaglia's 32-bit xorshift (2003, section 3). */
export class Draws {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed + 1) * 0x9e3779b1; // small seeds differ in all bits
    for (let i = 0; i < 4; i++) this.uniform();
  }

  /** Draws a number in [0, 1). */
  uniform(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) / 2 ** 32;
  }

  /** Draws an integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.uniform() * (max - min + 1));
  }
}
