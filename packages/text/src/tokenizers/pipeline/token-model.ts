// Declares the interface of the models in tokenizer.json (BPE, WordPiece, Unigram, WordLevel), which encode the pieces of a text.

export interface TokenModel {
  readonly vocabulary: ReadonlyMap<string, number>;
  /**
   * Appends the ids of a piece. Each `next()` does a bounded part of the work; most pieces need one.
   *
   * @throws {DefinitionError} for an unknown character, if there is no unknown token
   */
  tokenize(piece: string, ids: number[]): Generator<undefined, void>;
}

/** A cache of the ids of short pieces, since words repeat. It is emptied when it is full. */
export class PieceCache {
  static readonly #CAPACITY = 65_536;
  static readonly #LONGEST = 256;
  readonly #results = new Map<string, readonly number[]>();

  get(piece: string): readonly number[] | undefined {
    return this.#results.get(piece);
  }

  set(piece: string, ids: readonly number[]): void {
    if (piece.length > PieceCache.#LONGEST) return;
    if (this.#results.size >= PieceCache.#CAPACITY) this.#results.clear();
    this.#results.set(piece, ids);
  }
}

/** The number of characters, or of steps of merging, after which `tokenize` yields; they take about five milliseconds. */
export const SHARE = 20_000;

/** Lists the ids of the tokens `<0x00>` to `<0xFF>`, [256]. */
export const idsOfBytes = (vocabulary: ReadonlyMap<string, number>): readonly (number | undefined)[] =>
  Array.from({ length: 256 }, (_, byte) => vocabulary.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`));

/** Returns the ids of a text's UTF-8 bytes; null if one of them has no token. */
export function bytesOf(text: string, ids: readonly (number | undefined)[]): number[] | null {
  if (ids.length === 0) return null;
  const found = Array.from(Buffer.from(text), (byte) => ids[byte]);
  return found.includes(undefined) ? null : (found as number[]);
}
