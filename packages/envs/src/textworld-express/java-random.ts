// Draws the same random numbers as java.util.Random, and shuffles like Scala 2.13. The generation of worlds uses them, so that a
// seed gives the same world as in TextWorldExpress. Source: the documented linear congruential generator of java.util.Random.

const MULTIPLIER_HIGH = 0x5de; // 0x5DEECE66D = 0x5DE · 2²⁴ + 0xECE66D
const MULTIPLIER_LOW = 0xece66d;
const INCREMENT = 0xb;
const TWO_24 = 0x1000000;
const TWO_31 = 0x80000000;

export class JavaRandom {
  // The 48-bit state is in two halves of 24 bits, so that all products are below 2⁵³ and exact in doubles.
  #high: number;
  #low: number;

  /** Seeds the generator. @param seed a signed 32-bit integer, or a Java long as a bigint */
  constructor(seed: number | bigint) {
    const long = typeof seed === 'bigint' ? seed : BigInt(seed | 0);
    const scrambled = BigInt.asUintN(48, long ^ 0x5deece66dn);
    this.#high = Number(scrambled >> 24n);
    this.#low = Number(scrambled & 0xffffffn);
  }

  /** Draws a uniform integer in 0 … bound − 1. */
  nextInt(bound: number): number {
    if (!Number.isInteger(bound) || bound < 1)
      throw new RangeError(`JavaRandom.nextInt: bound must be ≥ 1, got ${bound}`);
    if ((bound & (bound - 1)) === 0) return Math.floor((bound * this.#next31()) / TWO_31);
    for (;;) {
      const bits = this.#next31();
      const value = bits % bound;
      // Bits among the last ones, which do not fill a range of `bound` values, are drawn again; Java detects them by an overflow.
      if (bits - value + (bound - 1) < TWO_31) return value;
    }
  }

  /** Draws a uniform number in [0, 1) with 53 bits. */
  nextDouble(): number {
    this.#advance();
    const high = this.#high * 4 + (this.#low >>> 22); // 26 bits
    this.#advance();
    const low = this.#high * 8 + (this.#low >>> 21); // 27 bits
    return (high * 0x8000000 + low) / 2 ** 53;
  }

  /** Returns a shuffled copy. From the last index down, each element is swapped with a random one at this or a smaller index. */
  shuffle<T>(items: readonly T[]): T[] {
    const out = [...items];
    for (let n = out.length; n >= 2; n--) {
      const k = this.nextInt(n);
      [out[n - 1], out[k]] = [out[k], out[n - 1]];
    }
    return out;
  }

  choice<T>(items: readonly T[]): T {
    return items[this.nextInt(items.length)];
  }

  #next31(): number {
    this.#advance();
    return this.#high * 128 + (this.#low >>> 17);
  }

  /** Advances the state: state ← state · 0x5DEECE66D + 0xB mod 2⁴⁸. */
  #advance(): void {
    const low = this.#low * MULTIPLIER_LOW + INCREMENT;
    const carry = Math.floor(low / TWO_24);
    const high = this.#high * MULTIPLIER_LOW + this.#low * MULTIPLIER_HIGH + carry;
    this.#low = low % TWO_24;
    this.#high = high % TWO_24;
  }
}
