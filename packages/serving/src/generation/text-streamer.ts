// Incremental text of an answer: what can be sent already, and whether a stop string has ended it.
import { maximum } from '@bowyer/core';

/** The character that an incomplete multi-byte character decodes to. */
const HALF_CHARACTER = '\uFFFD';

export class TextStreamer {
  readonly #ids: number[] = [];
  #shown = 0;
  #text = '';
  #stop: string | null = null;

  /**
   * @param decode all tokens of the answer so far as text
   * @param stops the answer ends before the first of these
   * @param minTokens a stop string ends the answer only if it ends behind this number of tokens
   */
  constructor(
    private readonly decode: (ids: readonly number[]) => string,
    private readonly stops: readonly string[],
    private readonly minTokens = 0,
  ) {}

  /** Everything that counts, up to a stop string. */
  get text(): string {
    return this.#text;
  }

  /** A stop string was generated: later tokens are ignored. */
  get stopped(): boolean {
    return this.#stop !== null;
  }

  /** The stop string that ended the answer. */
  get stop(): string | null {
    return this.#stop;
  }

  /** @returns what can be shown now; the beginning of a stop string or of a character waits for its rest */
  add(ids: readonly number[]): string {
    if (this.stopped) return '';
    this.#ids.push(...ids);
    const text = this.decode(this.#ids);
    const end = this.#stopIn(text);
    this.#stop = end?.stop ?? null;
    this.#text = text.slice(0, end?.at);
    return this.#show(end ? this.#text.length : this.#certainLength());
  }

  /** The first of the stop strings that count, and its offset. */
  #stopIn(text: string): { stop: string; at: number } | null {
    if (this.stops.length === 0 || this.#ids.length <= this.minTokens) return null;
    const least = this.minTokens === 0 ? 0 : this.decode(this.#ids.slice(0, this.minTokens)).length;
    const found = this.stops
      .map((stop) => ({ stop, at: text.indexOf(stop, Math.max(0, least - stop.length + 1)) }))
      .filter(({ at }) => at >= 0);
    return found.length === 0 ? null : found.reduce((first, other) => (other.at < first.at ? other : first));
  }

  /** No token follows. @returns what was held back */
  finish(): string {
    return this.#show(this.#text.length);
  }

  #show(length: number): string {
    if (length <= this.#shown) return '';
    const piece = this.#text.slice(this.#shown, length);
    this.#shown = length;
    return piece;
  }

  #certainLength(): number {
    let length = this.#text.length;
    while (length > 0 && this.#text[length - 1] === HALF_CHARACTER) length--;
    return length - maximum([0, ...this.stops.map((stop) => overlap(this.#text.slice(0, length), stop))]);
  }
}

/** Characters at the end of `text` with which `stop` begins. */
function overlap(text: string, stop: string): number {
  for (let length = Math.min(stop.length - 1, text.length); length > 0; length--)
    if (text.endsWith(stop.slice(0, length))) return length;
  return 0;
}
