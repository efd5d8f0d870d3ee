// Finds added tokens (such as `<|im_end|>`) in two passes: some in the original text, others in the normalized text. If several
// begin at one position, the longest is taken.
import type { AddedToken } from './definition.js';
import type { Normalizer } from './normalizers.js';
import { SPACE, WORD } from './patterns.js';
import { PrefixTrie } from './prefix-trie.js';

/** A part of a text: an added token with its id, or the text between two such tokens. */
type Section = { id: number } | { text: string; isFirst: boolean };

const ENDS_WITH_WORD = new RegExp(`[${WORD}]$`, 'u');
const STARTS_WITH_WORD = new RegExp(`^[${WORD}]`, 'u');
const IS_SPACE = new RegExp(`^[${SPACE}]$`, 'u');

export class AddedTokens {
  readonly ids = new Map<string, number>();
  /** The texts of the added tokens that decoders get, by id: the normalized form if there is one. */
  readonly spellings = new Map<number, string>();
  /** The texts of tokens that are omitted from a decoded text. */
  readonly special = new Set<string>();
  readonly #asIs: TokenFinder;
  readonly #normalized: TokenFinder;

  /**
   * @param vocabulary an added token that is in the model's vocabulary has that id, others get the next ids, in order
   * @param splitsSpecial whether special tokens are not recognized in texts
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

  /** Yields the added tokens of a text, and the normalized texts between them, which are never empty. */
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
  /** [65,536] 1 for each code unit with which an added token begins. */
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

/** Two code units on each side are enough to include characters outside the basic plane. */
const touchesWord = (text: string, start: number, end: number): boolean =>
  ENDS_WITH_WORD.test(text.slice(Math.max(0, start - 2), start)) || STARTS_WITH_WORD.test(text.slice(end, end + 2));
