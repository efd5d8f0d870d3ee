// Decodes an answer while it is generated, returns the text that can be sent, and finds the stop string that ends the answer.
import { maximum } from '@bowyer/core';
import { GrowingText } from '@bowyer/text';

/** The character that decoding returns for an incomplete multi-byte character. */
const HALF_CHARACTER = '\uFFFD';

const NONE: ReadonlySet<number> = new Set();

interface TextStreamerOptions {
  /** The answer ends before the first of them. */
  stops?: readonly string[];
  /** The number of tokens before a stop string may end the answer; 0 if not given. */
  minTokens?: number;
  /** Tokens that are a single byte, if the tokenizer has any. */
  byteIds?: ReadonlySet<number>;
}

export class TextStreamer {
  readonly #text: GrowingText;
  readonly #stops: readonly string[];
  readonly #longestStop: number;
  readonly #minTokens: number;
  /** The first tokens, up to `minTokens`. */
  readonly #first: number[] = [];
  /** The length in characters of the text of the first `minTokens` tokens; null until they have been generated. */
  #least: number | null = null;
  #count = 0;
  #shown = 0;
  #end: { stop: string; at: number } | null = null;

  /** @param decode returns the text of all tokens of the answer so far */
  constructor(
    private readonly decode: (ids: readonly number[]) => string,
    { stops = [], minTokens = 0, byteIds = NONE }: TextStreamerOptions = {},
  ) {
    this.#stops = stops;
    this.#minTokens = minTokens;
    this.#longestStop = maximum([1, ...stops.map(({ length }) => length)]);
    this.#text = new GrowingText(decode, { byteIds, keeps: 2 * this.#longestStop });
  }

  /** Returns the answer's text up to a stop string. */
  get text(): string {
    return this.#text.text.slice(0, this.#end?.at);
  }

  /** Returns whether a stop string was generated; later tokens are then ignored. */
  get stopped(): boolean {
    return this.#end !== null;
  }

  get stop(): string | null {
    return this.#end?.stop ?? null;
  }

  /** Returns the text that can be sent. Beginnings of stop strings and multi-byte characters wait for later tokens. */
  add(ids: readonly number[]): string {
    if (this.stopped) return '';
    const searched = this.#text.settledLength;
    this.#text.add(ids);
    this.#count += ids.length;
    for (const id of ids) if (this.#first.length < this.#minTokens) this.#first.push(id);
    this.#end = this.#stopBehind(Math.min(searched, this.#text.settledLength));
    return this.#show(this.#end ? this.#end.at : this.#certainLength());
  }

  /** Returns the text that was held back. */
  finish(): string {
    return this.#show(this.#end?.at ?? this.#text.length);
  }

  /** Returns the first stop string that may end the answer. @param searched number of first characters known to contain none */
  #stopBehind(searched: number): { stop: string; at: number } | null {
    if (this.#stops.length === 0 || this.#count <= this.#minTokens) return null;
    this.#least ??= this.#minTokens === 0 ? 0 : this.decode(this.#first).length;
    const before = Math.max(searched, this.#least);
    const start = Math.max(0, before - this.#longestStop + 1);
    const text = this.#text.from(start);
    const found = this.#stops
      .map((stop) => ({ stop, at: start + text.indexOf(stop, Math.max(0, before - stop.length + 1 - start)) }))
      .filter(({ at }) => at >= start);
    return found.length === 0 ? null : found.reduce((first, other) => (other.at < first.at ? other : first));
  }

  #show(length: number): string {
    if (length <= this.#shown) return '';
    const piece = this.#text.from(this.#shown).slice(0, length - this.#shown);
    this.#shown = length;
    return piece;
  }

  /** Excludes a possible beginning of a stop string, and an incomplete character. */
  #certainLength(): number {
    const start = Math.max(0, this.#shown - this.#longestStop);
    const text = this.#text.from(start);
    let { length } = text;
    while (length > 0 && text[length - 1] === HALF_CHARACTER) length--;
    return start + length - maximum([0, ...this.#stops.map((stop) => overlap(text.slice(0, length), stop))]);
  }
}

/** Returns the number of last characters of `text` that are the beginning of `stop`. */
function overlap(text: string, stop: string): number {
  for (let length = Math.min(stop.length - 1, text.length); length > 0; length--)
    if (text.endsWith(stop.slice(0, length))) return length;
  return 0;
}
