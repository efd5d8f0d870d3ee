// WordPiece repeatedly takes the longest known prefix, WordLevel the whole word. Source of WordPiece: Schuster and Nakajima 2012,
// as in google-research/bert, tokenization.py.
import { DefinitionError } from './definition.js';
import { PieceCache, type TokenModel } from './token-model.js';

abstract class WordModel implements TokenModel {
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly #unkToken: string;

  constructor({ vocab, unk_token }: Readonly<Record<string, unknown>>, defaultUnknown: string) {
    this.vocabulary = new Map(Object.entries(vocab as Record<string, number>));
    this.#unkToken = (unk_token as string | null | undefined) ?? defaultUnknown;
  }

  abstract tokenize(piece: string, ids: number[]): Generator<undefined, void>;

  protected get unknownId(): number {
    const id = this.vocabulary.get(this.#unkToken);
    if (id === undefined)
      throw new DefinitionError(`a text has a word that is not in the vocabulary, and neither is '${this.#unkToken}'`);
    return id;
  }
}

export class WordLevel extends WordModel {
  constructor(model: Readonly<Record<string, unknown>>) {
    super(model, '<unk>');
  }

  *tokenize(piece: string, ids: number[]): Generator<undefined, void> {
    ids.push(this.vocabulary.get(piece) ?? this.unknownId);
  }
}

export class WordPiece extends WordModel {
  readonly #prefix: string;
  readonly #longestWord: number;
  readonly #longestToken: number;
  readonly #cache = new PieceCache();

  constructor(model: Readonly<Record<string, unknown>>) {
    super(model, '[UNK]');
    this.#prefix = (model.continuing_subword_prefix as string | undefined) ?? '##';
    this.#longestWord = (model.max_input_chars_per_word as number | undefined) ?? 100;
    let longest = 0;
    for (const token of this.vocabulary.keys()) longest = Math.max(longest, token.length);
    this.#longestToken = longest;
  }

  *tokenize(piece: string, ids: number[]): Generator<undefined, void> {
    let result = this.#cache.get(piece);
    if (result === undefined) {
      result = this.#pieces(piece) ?? [this.unknownId];
      this.#cache.set(piece, result);
    }
    for (const id of result) ids.push(id);
  }

  /** Returns the ids of a word's pieces; null if a part of the word is not a token, or the word is too long. */
  #pieces(word: string): number[] | null {
    if (word.length > 2 * this.#longestWord || [...word].length > this.#longestWord) return null;
    const ids: number[] = [];
    for (let start = 0; start < word.length;) {
      let end = Math.min(word.length, start + this.#longestToken);
      let id: number | undefined;
      for (; end > start; end--) {
        id = this.vocabulary.get((start === 0 ? '' : this.#prefix) + word.slice(start, end));
        if (id !== undefined) break;
      }
      if (id === undefined) return null;
      ids.push(id);
      start = end;
    }
    return ids;
  }
}
