// A tokenizer's tokens as a constraint sees them: the bytes that each one adds to a text.
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { TokenTrie } from './token-trie.js';

export interface TokenVocabularyOptions {
  /** Tokens that end a text; the tokenizer's end-of-text token if not given. */
  endIds?: readonly number[];
  /** Tokens that are never allowed: those that the model cannot generate. */
  excludedIds?: readonly number[];
}

/** Decoders with which a token's text depends on more than whether it is the first one. */
const UNSUPPORTED_DECODERS: readonly string[] = ['BPEDecoder', 'CTC'];

/** Decoders with which it does not matter where in a text a token is. */
const PLACELESS_DECODERS: readonly string[] = ['ByteLevel', 'Sequence', 'Fuse'];

const NO_BYTES = new Uint8Array(0);

export class TokenVocabulary {
  /** The largest id plus one. */
  readonly size: number;
  readonly endIds: readonly number[];
  /** Tokens at the beginning of a text, where decoders drop a space. */
  readonly first: TokenTrie;
  /** Tokens behind others: the same object where that makes no difference. */
  readonly rest: TokenTrie;
  readonly #excluded: ReadonlySet<number>;

  /**
   * Special tokens stand for no text: a grammar has to name them.
   *
   * @throws {RangeError} where a token's text depends on which token is before it
   */
  constructor(tokenizer: Tokenizer, { endIds, excludedIds = [] }: TokenVocabularyOptions = {}) {
    const decoders = decoderTypes((tokenizer as { definition?: { decoder?: unknown } }).definition?.decoder);
    checkDecoders(decoders);
    this.size = tokenizer.vocabSize;
    this.endIds = endIds ?? (tokenizer.eosTokenId >= 0 ? [tokenizer.eosTokenId] : []);
    this.#excluded = new Set(excludedIds);
    const left = new Set([...this.#excluded, ...this.endIds, ...specialIds(tokenizer)]);
    const first = Array.from({ length: this.size }, (_, id) => (left.has(id) ? NO_BYTES : tokenizer.decodeBytes([id])));
    const dependsOnPlace = !(
      decoders.includes('ByteLevel') && decoders.every((type) => PLACELESS_DECODERS.includes(type))
    );
    const rest = dependsOnPlace ? behindAnother(tokenizer, first, left) : first;
    this.rest = new TokenTrie(rest);
    const isSame = first.every((bytes, id) => bytes === rest[id] || Buffer.compare(bytes, rest[id]) === 0);
    this.first = isSame ? this.rest : new TokenTrie(first);
  }

  /** Whether a grammar may name the token. */
  has(id: number): boolean {
    return Number.isInteger(id) && id >= 0 && id < this.size && !this.#excluded.has(id);
  }
}

/** Tokens that a decoded text does not show. */
function specialIds(tokenizer: Tokenizer): number[] {
  const { definition } = tokenizer as { definition?: { added_tokens?: unknown } };
  const added = definition?.added_tokens;
  // Where the tokenizer is of another kind, any token may be one.
  const candidates =
    definition === undefined
      ? Array.from({ length: tokenizer.vocabSize }, (_, id) => id)
      : ((added ?? []) as { content: string }[]).flatMap(({ content }) => tokenizer.tokenToId(content) ?? []);
  return candidates.filter((id) => tokenizer.decode([id]) === '');
}

/** The bytes that tokens add behind another one, which is of letters, so that nothing is joined or cleaned up. */
function behindAnother(tokenizer: Tokenizer, first: readonly Uint8Array[], left: ReadonlySet<number>): Uint8Array[] {
  const isLetters = (own: Uint8Array) => own.length > 0 && own.every((byte) => byte >= 0x61 && byte <= 0x7a);
  const letters = first.findIndex(isLetters);
  const before = letters >= 0 ? letters : first.findIndex(({ length }) => length > 0);
  if (before < 0) throw new RangeError('TokenVocabulary: the tokenizer has no token that stands for a text');
  return first.map((_, id) =>
    left.has(id) ? NO_BYTES : tokenizer.decodeBytes([before, id]).subarray(first[before].length),
  );
}

function checkDecoders(types: readonly string[]): void {
  const unsupported = types.find((type) => UNSUPPORTED_DECODERS.includes(type));
  if (unsupported !== undefined)
    throw new RangeError(
      `TokenVocabulary: with the decoder ${unsupported} a token's text depends on the tokens beside it, so no answer can be guaranteed`,
    );
}

function decoderTypes(decoder: unknown): string[] {
  if (typeof decoder !== 'object' || decoder === null) return [];
  const { type, decoders } = decoder as { type?: unknown; decoders?: unknown };
  return [String(type), ...(Array.isArray(decoders) ? decoders.flatMap(decoderTypes) : [])];
}
