// Finds where BPE can cut a long piece of text before merging: between two characters that are adjacent in no token. Llama 2 and
// Gemma treat a whole text as one piece; the results for words of it can be cached.

/** If two pairs share a bit of the hash table, a possible cut may be missed, but no wrong cut is made. */
const TABLE_BITS = 22;

export class WordBoundaries {
  readonly #pairs = new Int32Array(2 ** (TABLE_BITS - 5));
  /**
   * [65,536] 1 for a code unit whose character is a token. Others may be fused with unknown neighbours, so there is no cut beside
   * them.
   */
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
