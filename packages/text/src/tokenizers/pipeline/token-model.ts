// The common part of the four kinds of models: a vocabulary, and pieces that become ids.

export interface TokenModel {
  /** Ids by the tokens' spellings. */
  readonly vocabulary: ReadonlyMap<string, number>;
  /**
   * Appends the ids of a piece to `ids`. Each `next()` does a bounded share of the work; most pieces take one.
   *
   * @throws {DefinitionError} where a character is not known and there is no unknown token
   */
  tokenize(piece: string, ids: number[]): Generator<undefined, void>;
}

/** The results of short pieces, kept since words repeat. It is emptied when it is full. */
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

/** Characters, or steps of merging, until the next pause: about five milliseconds. */
export const SHARE = 20_000;

/** Lists the ids of the tokens `<0x00>` to `<0xFF>`, [256]. */
export const idsOfBytes = (vocabulary: ReadonlyMap<string, number>): readonly (number | undefined)[] =>
  Array.from({ length: 256 }, (_, byte) => vocabulary.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`));

/** Returns a text's UTF-8 bytes as ids; null where one of them has no token. */
export function bytesOf(text: string, ids: readonly (number | undefined)[]): number[] | null {
  if (ids.length === 0) return null;
  const found = Array.from(Buffer.from(text), (byte) => ids[byte]);
  return found.includes(undefined) ? null : (found as number[]);
}
