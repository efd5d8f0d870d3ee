// Finds the positions at which a long piece can be cut before merging: between two characters that are adjacent in no token, where no
// merge can apply. Llama 2 and Gemma treat a whole text as one piece; if it is cut into words, their results can be cached.

/** The logarithm of the number of bits in the hash table of pairs. Pairs that share a bit may lose a cut, but never cause a wrong one. */
const TABLE_BITS = 22;

export class WordBoundaries {
  readonly #pairs = new Int32Array(2 ** (TABLE_BITS - 5));
  /** [code units] 1 if the character is a token; unknown characters may be fused with their neighbours. */
  readonly #isKnown = new Uint8Array(2 ** 16);

  constructor(vocabulary: ReadonlyMap<string, number>) {
    for (const token of vocabulary.keys()) {
      if (token.length === 1) this.#isKnown[token.charCodeAt(0)] = 1;
      this.#add(token);
    }
  }

  #add(token: string): void {
    for (let i = 1; i < token.length; i++) {
      const bit = bitOf(token.charCodeAt(i - 1), token.charCodeAt(i));
      this.#pairs[bit >>> 5] |= 1 << (bit & 31);
    }
  }

  *words(piece: string): Generator<string> {
    let start = 0;
    for (let i = 1; i < piece.length; i++) {
      if (!this.#isBoundary(piece.charCodeAt(i - 1), piece.charCodeAt(i))) continue;
      yield piece.slice(start, i);
      start = i;
    }
    yield piece.slice(start);
  }

  #isBoundary(left: number, right: number): boolean {
    if (this.#isKnown[left] + this.#isKnown[right] < 2) return false;
    const bit = bitOf(left, right);
    return (this.#pairs[bit >>> 5] & (1 << (bit & 31))) === 0;
  }
}

const bitOf = (left: number, right: number): number =>
  (Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)) >>> (32 - TABLE_BITS);
