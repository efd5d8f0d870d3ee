// Tokens that are found in a text before the model sees it, in two passes: some in the text as it is, some in what the
// normalizer made of it. At each place the longest one counts.
import type { AddedToken } from './definition.js';
import type { Normalizer } from './normalizers.js';
import { SPACE, WORD } from './patterns.js';
import { PrefixTrie } from './prefix-trie.js';

/** A token's id, or a stretch of text between tokens. */
type Section = { id: number } | { text: string; isFirst: boolean };

const ENDS_WITH_WORD = new RegExp(`[${WORD}]$`, 'u');
const STARTS_WITH_WORD = new RegExp(`^[${WORD}]`, 'u');
const IS_SPACE = new RegExp(`^[${SPACE}]$`, 'u');

export class AddedTokens {
  /** Ids by the tokens' spellings. */
  readonly ids = new Map<string, number>();
  /** The spellings that a decoder is given, by id: the normalized form where there is one. */
  readonly spellings = new Map<number, string>();
  /** Spellings of the tokens that a decoded text leaves out. */
  readonly special = new Set<string>();
  readonly #asIs: TokenFinder;
  readonly #normalized: TokenFinder;

  /**
   * Gives the tokens their ids.
   *
   * @param vocabulary of the model: a token that is there has that id, others have the ids after it, in order
   * @param splitsSpecial whether special tokens are not found in a text
   */
  constructor(
    tokens: readonly AddedToken[],
    vocabulary: ReadonlyMap<string, number>,
    private readonly normalize: Normalizer,
    splitsSpecial = false,
  ) {
    const asIs = new Map<number, { token: AddedToken; pattern: string }>();
    const normalized: typeof asIs = new Map();
    let next = vocabulary.size;
    for (const token of tokens) {
      if (token.content === '') continue;
      const id = this.ids.get(token.content) ?? vocabulary.get(token.content) ?? next++;
      this.ids.set(token.content, id);
      if (token.special === true) this.special.add(token.content);
      const pattern = token.normalized === true ? normalize(token.content) : token.content;
      this.spellings.set(id, pattern);
      asIs.delete(id);
      normalized.delete(id);
      if (splitsSpecial && token.special === true) continue;
      (token.normalized === true ? normalized : asIs).set(id, { token, pattern });
    }
    this.#asIs = new TokenFinder(asIs);
    this.#normalized = new TokenFinder(normalized);
  }

  /** Yields tokens and the normalized text between them, which is never empty. */
  *sections(text: string): Generator<Section> {
    for (const section of this.#asIs.sections(text, true)) {
      if ('id' in section) yield section;
      else {
        const isFirst = section.isFirst && this.normalize.removesStart?.(section.text) !== true;
        yield* this.#normalized.sections(this.normalize(section.text), isFirst);
      }
    }
  }
}

class TokenFinder {
  readonly #trie: PrefixTrie;
  /** [code units] 1 where a token begins with it. */
  readonly #begins = new Uint8Array(2 ** 16);
  readonly #tokens: ReadonlyMap<number, { token: AddedToken }>;

  constructor(tokens: ReadonlyMap<number, { token: AddedToken; pattern: string }>) {
    const patterns = [...tokens].filter(([, { pattern }]) => pattern !== '');
    this.#tokens = tokens;
    this.#trie = new PrefixTrie(patterns.map(([id, { pattern }]) => [pattern, id] as const));
    for (const [, { pattern }] of patterns) this.#begins[pattern.charCodeAt(0)] = 1;
  }

  *sections(text: string, isFirst: boolean): Generator<Section> {
    let done = 0;
    for (let at = 0; at < text.length;) {
      const found = this.#begins[text.charCodeAt(at)] === 1 ? this.#trie.longestAt(text, at) : null;
      if (found === null) {
        at++;
        continue;
      }
      let [start, end] = [at, at + found.length];
      at = end;
      const { token } = this.#tokens.get(found.id)!;
      if (token.single_word === true && touchesWord(text, start, end)) continue;
      if (token.lstrip === true) while (start > done && IS_SPACE.test(text[start - 1])) start--;
      if (token.rstrip === true) while (end < text.length && IS_SPACE.test(text[end])) end++;
      if (done < start) yield { text: text.slice(done, start), isFirst: isFirst && done === 0 };
      yield { id: found.id };
      done = end;
    }
    if (done < text.length) yield { text: text.slice(done), isFirst: isFirst && done === 0 };
  }
}

/** Returns whether a letter or digit touches the token. Two code units are enough to see a character outside the basic plane. */
const touchesWord = (text: string, start: number, end: number): boolean =>
  ENDS_WITH_WORD.test(text.slice(Math.max(0, start - 2), start)) || STARTS_WITH_WORD.test(text.slice(end, end + 2));
