// Finds the bytes that each token of a tokenizer adds to a text, from which constraints on sampled answers are computed.
import { finished, type Steps } from '../steps.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import type { SpellableUnits } from './byte-nodes.js';
import { spellableUnits } from './spellable-units.js';
import { TokenTrie } from './token-trie.js';

export interface TokenVocabularyOptions {
  /** Tokens that end a text; the tokenizer's end-of-text token if not given. */
  endIds?: readonly number[];
  /** Tokens that are never allowed, because the model cannot generate them. */
  excludedIds?: readonly number[];
}

/** The decoders with which the text of a token depends on the tokens before it in more ways than whether it is the first one. */
const UNSUPPORTED_DECODERS: readonly string[] = ['BPEDecoder', 'CTC'];

/** The decoders with which a token's text does not depend on its position. */
const PLACELESS_DECODERS: readonly string[] = ['ByteLevel', 'Sequence', 'Fuse'];

const NO_BYTES = new Uint8Array(0);

/** The number of tokens that are examined in one step. */
const AT_ONCE = 1024;

type VocabularyParts = Pick<TokenVocabulary, 'first' | 'rest' | 'spellable'>;

/** A tokenizer's vocabulary in the form that constraints need: the bytes of all tokens, in tries. */
export class TokenVocabulary {
  /** The size of the vocabulary: the largest token id plus one. */
  readonly size: number;
  readonly endIds: readonly number[];
  /** The trie of tokens at the beginning of a text, where decoders drop a space. */
  readonly first: TokenTrie;
  /** The trie of tokens at other positions; the same object as `first` if there is no difference. */
  readonly rest: TokenTrie;
  /** The bytes and characters that single tokens can spell at positions other than the first. */
  readonly spellable: SpellableUnits;
  readonly #excluded: ReadonlySet<number>;

  /**
   * Finds the bytes of all tokens. Special tokens have no text, so a grammar must name them to allow them. Takes 0.4 s for 50,000
   * tokens, and seconds for the largest vocabularies; see `inSteps`. @throws {RangeError} if a token's text depends on the token
   * before it
   */
  constructor(
    tokenizer: Tokenizer,
    options: TokenVocabularyOptions = {},
    parts: VocabularyParts = finished(partsInSteps(tokenizer, options)),
  ) {
    this.size = tokenizer.vocabSize;
    this.endIds = endIdsOf(tokenizer, options);
    this.#excluded = new Set(options.excludedIds);
    this.first = parts.first;
    this.rest = parts.rest;
    this.spellable = parts.spellable;
  }

  /**
   * Builds a vocabulary in steps of a few milliseconds, between which a server can serve other requests.
   *
   * @throws {RangeError} like the constructor
   */
  static *inSteps(tokenizer: Tokenizer, options: TokenVocabularyOptions = {}): Steps<TokenVocabulary> {
    return new TokenVocabulary(tokenizer, options, yield* partsInSteps(tokenizer, options));
  }

  /** Returns whether the token exists and may be sampled, so that a grammar may name it. */
  has(id: number): boolean {
    return Number.isInteger(id) && id >= 0 && id < this.size && !this.#excluded.has(id);
  }
}

function* partsInSteps(tokenizer: Tokenizer, options: TokenVocabularyOptions): Steps<VocabularyParts> {
  const decoders = decoderTypes((tokenizer as { definition?: { decoder?: unknown } }).definition?.decoder);
  checkDecoders(decoders);
  const special = yield* specialIds(tokenizer);
  const left = new Set([...(options.excludedIds ?? []), ...endIdsOf(tokenizer, options), ...special]);
  const first = yield* bytesOfTokens(tokenizer.vocabSize, left, (id) => tokenizer.decodeBytes([id]));
  const isPlaceless = decoders.includes('ByteLevel') && decoders.every((type) => PLACELESS_DECODERS.includes(type));
  const rest = isPlaceless ? first : yield* behindAnother(tokenizer, first, left);
  const isSame = first.every((bytes, id) => bytes === rest[id] || Buffer.compare(bytes, rest[id]) === 0);
  const trie = yield* TokenTrie.inSteps(rest);
  return {
    first: isSame ? trie : yield* TokenTrie.inSteps(first),
    rest: trie,
    spellable: yield* spellableUnits(rest),
  };
}

const endIdsOf = ({ eosTokenId }: Tokenizer, { endIds }: TokenVocabularyOptions): readonly number[] =>
  endIds ?? (eosTokenId >= 0 ? [eosTokenId] : []);

/** Returns the bytes of each token, in steps. `left`: tokens that are left out, since they have no text. */
function* bytesOfTokens(
  size: number,
  left: ReadonlySet<number>,
  bytesOf: (id: number) => Uint8Array,
): Steps<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for (let id = 0; id < size; id++) {
    all.push(left.has(id) ? NO_BYTES : bytesOf(id));
    if (id % AT_ONCE === AT_ONCE - 1) yield;
  }
  return all;
}

/** Finds the special tokens, which a decoded text omits. */
function* specialIds(tokenizer: Tokenizer): Steps<number[]> {
  const { definition } = tokenizer as { definition?: { added_tokens?: unknown } };
  const added = definition?.added_tokens;
  // A tokenizer of another kind has no list of special tokens, so all tokens are tested.
  const candidates =
    definition === undefined
      ? Array.from({ length: tokenizer.vocabSize }, (_, id) => id)
      : ((added ?? []) as { content: string }[]).flatMap(({ content }) => tokenizer.tokenToId(content) ?? []);
  const special: number[] = [];
  for (const [i, id] of candidates.entries()) {
    if (tokenizer.decode([id]) === '') special.push(id);
    if (i % AT_ONCE === AT_ONCE - 1) yield;
  }
  return special;
}

/** Each token is decoded after a token of letters, with which decoders neither join it nor clean up spaces. */
function behindAnother(
  tokenizer: Tokenizer,
  first: readonly Uint8Array[],
  left: ReadonlySet<number>,
): Steps<Uint8Array[]> {
  const isLetters = (own: Uint8Array) => own.length > 0 && own.every((byte) => byte >= 0x61 && byte <= 0x7a);
  const letters = first.findIndex(isLetters);
  const before = letters >= 0 ? letters : first.findIndex(({ length }) => length > 0);
  if (before < 0) throw new RangeError('TokenVocabulary: the tokenizer has no token that stands for a text');
  const { length } = first[before];
  return bytesOfTokens(first.length, left, (id) => tokenizer.decodeBytes([before, id]).subarray(length));
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
