// Generates random numbers from a seed by xoshiro128** (Blackman and Vigna 2021, doi:10.1145/3460772), whose state is filled by
// splitmix32, so that similar seeds give unrelated streams.

export type RngState = readonly [number, number, number, number];

export class Rng {
  #s: Uint32Array;

  constructor(seed: number | RngState) {
    this.#s = typeof seed === 'number' ? fillState(seed) : Uint32Array.from(seed);
  }

  /** Creates the stream for a named purpose, which is independent of other streams and of how much is drawn from them. */
  static forPurpose(seed: number, purpose: string): Rng {
    return new Rng(hash32(`${seed}/${purpose}`));
  }

  /** Returns the state; `new Rng(rng.state)` continues with the same numbers. */
  get state(): RngState {
    return [this.#s[0], this.#s[1], this.#s[2], this.#s[3]];
  }

  /** Sets the state to one that `state` returned earlier. */
  restore(state: RngState): void {
    this.#s.set(state);
  }

  /** Draws a uniform integer in [0, 2³²). */
  uint32(): number {
    const s = this.#s;
    const result = Math.imul(rotateLeft(Math.imul(s[1], 5), 7), 9) >>> 0;
    const t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotateLeft(s[3], 11);
    return result;
  }

  /** Draws a uniform number in [0, 1) with 53 bits. */
  uniform(): number {
    return ((this.uint32() >>> 5) * 67108864 + (this.uint32() >>> 6)) / 9007199254740992;
  }

  /** Draws a uniform integer in [low, high], both ends included. */
  integer(low: number, high: number): number {
    if (!(high >= low)) throw new RangeError(`Rng.integer: empty range [${low}, ${high}]`);
    return low + Math.floor(this.uniform() * (high - low + 1));
  }

  /** Draws a standard normal number by the Box–Muller transform. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  choice<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('Rng.choice: nothing to choose from');
    return items[this.integer(0, items.length - 1)];
  }

  /** Returns a shuffled copy (Fisher–Yates). */
  shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = this.integer(0, i);
      [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
    }
    return shuffled;
  }
}

const rotateLeft = (x: number, k: number) => (x << k) | (x >>> (32 - k));

/** Hashes the text's UTF-16 code units by 32-bit FNV-1a, for deriving seeds from names. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function fillState(seed: number): Uint32Array {
  const state = new Uint32Array(4);
  let z = (seed ^ Math.floor(seed / 4294967296)) | 0;
  for (let i = 0; i < 4; i++) {
    z = (z + 0x9e3779b9) | 0;
    let t = z ^ (z >>> 16);
    t = Math.imul(t, 0x21f0aaad);
    t ^= t >>> 15;
    t = Math.imul(t, 0x735a2d97);
    state[i] = t ^ (t >>> 15);
  }
  return state;
}
