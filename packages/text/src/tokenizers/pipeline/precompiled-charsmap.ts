// Replaces characters by SentencePiece's precompiled table (such as `nmt_nfkc`). Layout: the length of a trie in bytes, the trie
// (a double array of darts-clone), then the replacements, each terminated by 0.
// Source: google/sentencepiece, normalizer.cc and third_party/darts_clone/darts.h.
import { DefinitionError } from './definition.js';

/**
 * [code units] 1 for characters that do not combine with others of this kind, except `\r\n`: each is a grapheme (a character as a
 * reader sees it).
 */
const PLAIN = ((): Uint8Array => {
  const plain = new Uint8Array(2 ** 16);
  plain.fill(1, 0, 0x300); // Latin, without the combining marks after it
  plain.fill(1, 0x370, 0x483).fill(1, 0x48a, 0x530); // Greek, Cyrillic
  plain.fill(1, 0x2010, 0x2028).fill(1, 0x2030, 0x205f); // punctuation
  plain.fill(1, 0x3001, 0x302a).fill(1, 0x3041, 0x3097).fill(1, 0x30a1, 0x30fb).fill(1, 0x4e00, 0xa000); // East Asia
  return plain;
})();

/** The most bytes of a grapheme that is looked up as a whole; longer ones are looked up character by character. */
const LONGEST_GRAPHEME = 5;

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;

const utf8 = new TextEncoder();

export class PrecompiledCharsmap {
  readonly #trie: Uint32Array;
  readonly #replacements: Uint8Array;
  readonly #segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  /** Caches the replacement of each plain character that has been looked up, by code unit. */
  readonly #known: string[] = [];

  /** Decodes the table. `base64`: the field `precompiled_charsmap` of tokenizer.json. */
  constructor(base64: string) {
    const bytes = Buffer.from(base64, 'base64');
    const trieBytes = bytes.length >= 4 ? bytes.readUInt32LE(0) : 0;
    if (trieBytes % 4 !== 0 || 4 + trieBytes > bytes.length || trieBytes === 0)
      throw new DefinitionError(`its precompiled_charsmap of ${bytes.length} bytes is cut or damaged`);
    this.#trie = Uint32Array.from({ length: trieBytes / 4 }, (_, i) => bytes.readUInt32LE(4 + 4 * i));
    this.#replacements = bytes.subarray(4 + trieBytes);
  }

  normalize(text: string): string {
    let result = '';
    let at = 0;
    while (at < text.length) {
      if (this.#isSimple(text, at)) {
        const code = text.charCodeAt(at++);
        result += this.#known[code] ??= this.#character(String.fromCharCode(code));
      } else {
        const end = this.#endOfCluster(text, at);
        result += this.#graphemes(text.slice(at, end));
        at = end;
      }
    }
    return result;
  }

  #isSimple(text: string, at: number): boolean {
    const code = text.charCodeAt(at);
    const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
    return PLAIN[code] + PLAIN[next] === 2 && !(code === CARRIAGE_RETURN && next === LINE_FEED);
  }

  /** The end is after the next plain character, since a mark before that character may combine with it. */
  #endOfCluster(text: string, start: number): number {
    let at = start;
    if (text.charCodeAt(at) === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED) return at + 2;
    while (at < text.length && !this.#isSimple(text, at)) at++;
    return Math.min(at + 1, text.length);
  }

  #graphemes(text: string): string {
    let result = '';
    for (const { segment } of this.#segmenter.segment(text)) {
      const whole = segment.length <= LONGEST_GRAPHEME ? utf8.encode(segment) : null;
      const replacement = whole !== null && whole.length <= LONGEST_GRAPHEME ? this.#lookUp(whole) : null;
      if (replacement !== null) result += replacement;
      else for (const character of segment) result += this.#character(character);
    }
    return result;
  }

  #character(character: string): string {
    return this.#lookUp(utf8.encode(character)) ?? character;
  }

  /** The replacement of the shortest entry that is a prefix of `key`; its remaining bytes are dropped, as in SentencePiece. */
  #lookUp(key: Uint8Array): string | null {
    let position = offsetOf(this.#trie[0]);
    for (const byte of key) {
      if (byte === 0) return null;
      position ^= byte;
      const unit = this.#trie[position] ?? 0;
      if (labelOf(unit) !== byte) return null;
      position ^= offsetOf(unit);
      if (hasLeaf(unit)) return this.#replacement(this.#trie[position] & 0x7fffffff);
    }
    return null;
  }

  #replacement(start: number): string {
    const end = this.#replacements.indexOf(0, start);
    return Buffer.from(this.#replacements.subarray(start, end < 0 ? undefined : end)).toString('utf8');
  }
}

/**
 * In a unit of darts-clone's array, bits 0 to 7 are the label, bit 8 says whether there is a value, bit 9 is the scale of the
 * offset in bits 10 to 30.
 */
const hasLeaf = (unit: number): boolean => ((unit >>> 8) & 1) === 1;
const labelOf = (unit: number): number => (unit & 0x800000ff) >>> 0;
const offsetOf = (unit: number): number => ((unit >>> 10) << ((unit & 0x200) >>> 6)) >>> 0;
