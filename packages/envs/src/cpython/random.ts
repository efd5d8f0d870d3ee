// Implements the part of Python's module `random` that the ported games use: the same seed gives the same numbers, choices and
// shuffles as in Python. Generator: MT19937 (Matsumoto and Nishimura 1998, doi:10.1145/272991.272995), seeded as CPython seeds it
// with an int.

const SIZE = 624;
const SHIFT = 397;

export class PythonRandom {
  readonly #state = new Uint32Array(SIZE);
  #next = SIZE;

  /** Seeds the generator. @param seed an integer; its sign is ignored, as in Python */
  constructor(seed: number) {
    this.#seedByArray(wordsOf(seed));
  }

  /** Draws a uniform integer in [0, 2ᵏ), k ≤ 32. */
  getrandbits(k: number): number {
    return k === 0 ? 0 : this.#uint32() >>> (32 - k);
  }

  /** Draws a uniform float in [0, 1) with 53 random bits. */
  random(): number {
    return ((this.#uint32() >>> 5) * 67108864 + (this.#uint32() >>> 6)) / 9007199254740992;
  }

  /** Draws a uniform integer in [0, n) as Python does: integers with the bit length of n are drawn until one is below n. */
  randbelow(n: number): number {
    if (!(n > 0)) throw new RangeError(`PythonRandom.randbelow: nothing below ${n}`);
    const bits = 32 - Math.clz32(n);
    let drawn = this.getrandbits(bits);
    while (drawn >= n) drawn = this.getrandbits(bits);
    return drawn;
  }

  choice<T>(items: readonly T[]): T {
    return items[this.randbelow(items.length)];
  }

  shuffle<T>(items: T[]): void {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.randbelow(i + 1);
      [items[i], items[j]] = [items[j], items[i]];
    }
  }

  /** Draws `count` different elements of the list and returns them in the order of the draws. */
  sample<T>(items: readonly T[], count: number): T[] {
    const n = items.length;
    if (count > n) throw new RangeError(`PythonRandom.sample: ${count} of ${n} items`);
    // As in Python, a small list is copied, and for a large one the drawn indices are remembered, which gives other samples.
    const poolSize = 21 + (count > 5 ? 4 ** Math.ceil(Math.log(count * 3) / Math.log(4)) : 0);
    return n <= poolSize ? this.#sampleFromPool([...items], count) : this.#sampleFromPlaces(items, count);
  }

  #sampleFromPool<T>(pool: T[], count: number): T[] {
    return Array.from({ length: count }, (_, i) => {
      const last = pool.length - 1 - i;
      const j = this.randbelow(last + 1);
      const drawn = pool[j];
      pool[j] = pool[last];
      return drawn;
    });
  }

  #sampleFromPlaces<T>(items: readonly T[], count: number): T[] {
    const taken = new Set<number>();
    return Array.from({ length: count }, () => {
      let j = this.randbelow(items.length);
      while (taken.has(j)) j = this.randbelow(items.length);
      taken.add(j);
      return items[j];
    });
  }

  #uint32(): number {
    if (this.#next === SIZE) this.#regenerate();
    let y = this.#state[this.#next++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  #regenerate(): void {
    const s = this.#state;
    for (let i = 0; i < SIZE; i++) {
      const y = (s[i] & 0x80000000) | (s[(i + 1) % SIZE] & 0x7fffffff);
      s[i] = s[(i + SHIFT) % SIZE] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    this.#next = 0;
  }

  /** Seeds the state of the generator from a number (`init_genrand` of the reference implementation). */
  #seedByNumber(seed: number): void {
    const s = this.#state;
    s[0] = seed;
    for (let i = 1; i < SIZE; i++) s[i] = Math.imul(1812433253, s[i - 1] ^ (s[i - 1] >>> 30)) + i;
  }

  /** Seeds the state of the generator from an array of 32-bit words (`init_by_array` of the reference implementation). */
  #seedByArray(words: readonly number[]): void {
    this.#seedByNumber(19650218);
    const s = this.#state;
    let i = 1;
    const advance = () => {
      if (++i < SIZE) return;
      s[0] = s[SIZE - 1];
      i = 1;
    };
    const mixed = (factor: number) => Math.imul(s[i - 1] ^ (s[i - 1] >>> 30), factor);
    for (let k = 0; k < Math.max(SIZE, words.length); k++) {
      const j = k % words.length;
      s[i] = (s[i] ^ mixed(1664525)) + words[j] + j;
      advance();
    }
    for (let k = 1; k < SIZE; k++) {
      s[i] = (s[i] ^ mixed(1566083941)) - i;
      advance();
    }
    s[0] = 0x80000000;
  }
}

/** Returns the 32-bit words of the number's magnitude, lowest first; at least one word. */
function wordsOf(seed: number): number[] {
  if (!Number.isSafeInteger(seed)) throw new RangeError(`PythonRandom: the seed must be an integer; got ${seed}`);
  const size = Math.abs(seed);
  const high = Math.floor(size / 4294967296);
  return high === 0 ? [size] : [size % 4294967296, high];
}
