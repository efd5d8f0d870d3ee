// Tokenizes by byte-pair encoding: the characters of a piece are merged in pairs, in the order in which merges were learned.
// Source: Sennrich et al. 2016 (arXiv:1508.07909); options as in tokenizer.json.
import { DefinitionError } from './definition.js';
import { MergeTable } from './merge-table.js';
import { bytesOf, idsOfBytes, PieceCache, SHARE, type TokenModel } from './token-model.js';
import { WordMerger } from './word-merger.js';
import { WordBoundaries } from './word-boundaries.js';

/** The least length, in code units, from which a piece is cut at positions that no token can span (see word-boundaries.ts). */
const LONG_PIECE = 64;

interface BpeOptions {
  unkToken: string | null;
  /** A text that is put before every character except the first, such as `##`. */
  prefix: string;
  /** A text that is appended to the last character of a word, such as `</w>`. */
  suffix: string;
  fusesUnknown: boolean;
  /** Whether unknown characters become the tokens of their bytes, `<0x00>` to `<0xFF>`. */
  fallsBackToBytes: boolean;
  /** Whether a piece that is a token is encoded as that token, whatever the merges give. */
  ignoresMerges: boolean;
}

export class Bpe implements TokenModel {
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly #options: BpeOptions;
  readonly #merges: MergeTable;
  readonly #byteIds: readonly (number | undefined)[];
  readonly #cache = new PieceCache();
  #boundaries: WordBoundaries | null = null;

  constructor(model: Readonly<Record<string, unknown>>) {
    if (typeof model.dropout === 'number' && model.dropout > 0)
      throw new DefinitionError(`its dropout of ${model.dropout} gives other tokens at every call; set it to null`);
    this.vocabulary = new Map(Object.entries(model.vocab as Record<string, number>));
    this.#options = {
      unkToken: (model.unk_token as string | null | undefined) ?? null,
      prefix: (model.continuing_subword_prefix as string | null | undefined) ?? '',
      suffix: (model.end_of_word_suffix as string | null | undefined) ?? '',
      fusesUnknown: model.fuse_unk === true,
      fallsBackToBytes: model.byte_fallback === true,
      ignoresMerges: model.ignore_merges === true,
    };
    this.#merges = this.#mergeTable((model.merges ?? []) as readonly (string | readonly string[])[]);
    this.#byteIds = this.#options.fallsBackToBytes ? idsOfBytes(this.vocabulary) : [];
  }

  *tokenize(piece: string, ids: number[]): Generator<undefined, void> {
    if (piece.length > LONG_PIECE && this.#options.prefix === '' && this.#options.suffix === '') {
      const whole = this.#options.ignoresMerges ? this.vocabulary.get(piece) : undefined;
      if (whole !== undefined) ids.push(whole);
      else yield* this.#tokenizeWords(piece, ids);
    } else yield* this.#tokenizeWord(piece, ids);
  }

  *#tokenizeWords(piece: string, ids: number[]): Generator<undefined, void> {
    this.#boundaries ??= new WordBoundaries(this.vocabulary);
    let share = 0;
    for (const word of this.#boundaries.words(piece)) {
      yield* this.#tokenizeWord(word, ids);
      share += word.length;
      if (share < SHARE) continue;
      share = 0;
      yield;
    }
  }

  *#tokenizeWord(word: string, ids: number[]): Generator<undefined, void> {
    let result = this.#cache.get(word);
    if (result === undefined) {
      const whole = this.#options.ignoresMerges ? this.vocabulary.get(word) : undefined;
      if (whole !== undefined) result = [whole];
      else {
        const merger = new WordMerger(this.#merges, yield* this.#symbols(word));
        while (!merger.run(SHARE)) yield;
        result = merger.ids();
      }
      this.#cache.set(word, result);
    }
    for (const id of result) ids.push(id);
  }

  /** One id for each character, or those of its bytes, or that of the unknown token. */
  *#symbols(word: string): Generator<undefined, number[]> {
    const { prefix, suffix, fusesUnknown } = this.#options;
    const symbols: number[] = [];
    let unknown = NONE; // the pending unknown token, before the next known character
    let turn = SHARE;
    for (let at = 0; at < word.length;) {
      if (at >= turn) {
        turn += SHARE;
        yield;
      }
      const character = String.fromCodePoint(word.codePointAt(at)!);
      const isFirst = at === 0;
      at += character.length;
      const spelled = (isFirst ? '' : prefix) + character + (at === word.length ? suffix : '');
      const id = this.vocabulary.get(spelled);
      if (id !== undefined) {
        if (unknown !== NONE) symbols.push(unknown);
        unknown = NONE;
        symbols.push(id);
        continue;
      }
      const bytes = bytesOf(spelled, this.#byteIds);
      if (bytes !== null) for (const byte of bytes) symbols.push(byte);
      else if (this.#options.unkToken !== null) {
        if (unknown !== NONE && !fusesUnknown) symbols.push(unknown);
        unknown = this.#unknownId(this.#options.unkToken);
      }
    }
    if (unknown !== NONE) symbols.push(unknown);
    return symbols;
  }

  #unknownId(token: string): number {
    const id = this.vocabulary.get(token);
    if (id === undefined) throw new DefinitionError(`its unk_token '${token}' is not in the vocabulary`);
    return id;
  }

  #mergeTable(merges: readonly (string | readonly string[])[]): MergeTable {
    const table = new MergeTable(merges.length);
    const { prefix } = this.#options;
    const idOf = (token: string) => {
      const id = this.vocabulary.get(token);
      if (id === undefined)
        throw new DefinitionError(`its merges need the token ${JSON.stringify(token)}, which the vocabulary lacks`);
      return id;
    };
    merges.forEach((merge, rank) => {
      const [left, right] = typeof merge === 'string' ? merge.split(' ') : merge;
      table.set(idOf(left), idOf(right), rank, idOf(left + right.slice(prefix.length)));
    });
    return table;
  }
}

const NONE = -1;
