// Decodes tokens that arrive one after the other, without decoding all of them each time. The text of a token depends on a few
// before it; inside a character or a sequence of byte tokens also on the following ones. Text is settled once no later token can
// change it.
import type { Tokenizer } from './tokenizer.js';

/** The replacement character, to which an incomplete multi-byte character is decoded. */
const HALF_CHARACTER = '\uFFFD';

/** The number of settled tokens that are decoded again with the later ones, whose text may depend on them. */
const CONTEXT = 8;

/** The number of further tokens after which their text is declared settled. */
const AT_ONCE = 16;

export interface GrowingTextOptions {
  /** Tokens that stand for single bytes, see `byteTokens`. */
  byteIds: ReadonlySet<number>;
  /** Characters at the end of the settled text that are kept apart, since callers often read the text's end. */
  keeps: number;
}

export class GrowingText {
  readonly #ids: number[] = [];
  /** The oldest settled text, which is long and rarely read. */
  #old = '';
  /** The settled text that follows #old. */
  #kept = '';
  /** The text of the tokens from index #settled on, which later tokens may change. */
  #fresh = '';
  /** The number of settled tokens, whose text no longer changes. Those from index #context on are decoded again as context. */
  #settled = 0;
  #context = 0;

  /** Starts an empty text. `decode` decodes all tokens of a text. */
  constructor(
    private readonly decode: (ids: readonly number[]) => string,
    private readonly options: GrowingTextOptions,
  ) {}

  get length(): number {
    return this.settledLength + this.#fresh.length;
  }

  /** Counts the characters at the beginning of the text that no longer change. */
  get settledLength(): number {
    return this.#old.length + this.#kept.length;
  }

  /** Returns the text, equal to decoding all tokens at once. */
  get text(): string {
    return this.from(0);
  }

  from(offset: number): string {
    const start = offset - this.#old.length;
    return start >= 0 ? (this.#kept + this.#fresh).slice(start) : (this.#old + this.#kept + this.#fresh).slice(offset);
  }

  add(ids: readonly number[]): void {
    for (const id of ids) this.#ids.push(id);
    const context = this.#textOf(this.#context, this.#settled);
    const whole = this.#textOf(this.#context);
    if (whole.startsWith(context)) {
      this.#fresh = whole.slice(context.length);
      if (this.#ids.length - this.#settled >= AT_ONCE) this.#settle();
    } else this.#unsettle();
  }

  /** Settles all tokens so far, if the text of the next depends only on the tokens that are kept as context. */
  #settle(): void {
    const last = this.#ids.at(-1)!;
    // Decoders ignore special tokens, so a run of bytes may continue after a byte token or a token without text.
    if (this.options.byteIds.has(last) || this.decode([last]) === '') return;
    const [few, all] = [this.#ids.length - CONTEXT, this.#context];
    // If the last few tokens have no text, the tokens before them are needed as context too.
    const context = [few, all].find((start) => {
      const text = this.#textOf(start);
      return text !== '' && !text.endsWith(HALF_CHARACTER);
    });
    if (context === undefined) return;
    this.#context = context;
    this.#settled = this.#ids.length;
    const cut = Math.max(0, this.#kept.length - this.options.keeps);
    this.#old += this.#kept.slice(0, cut);
    [this.#kept, this.#fresh] = [this.#kept.slice(cut) + this.#fresh, ''];
  }

  /** Decodes all tokens again, because the decoder has changed settled text. */
  #unsettle(): void {
    [this.#context, this.#settled, this.#old, this.#kept] = [0, 0, '', ''];
    this.#fresh = this.#textOf(0);
  }

  #textOf(from: number, to?: number): string {
    const ids = this.#ids.slice(from, to);
    return ids.length === 0 ? '' : this.decode(ids);
  }
}

const known = new WeakMap<object, ReadonlySet<number>>();

/**
 * Finds the tokens that stand for single bytes, such as `<0x0A>`, which decoders combine to characters. The result is cached for
 * each tokenizer.
 */
export function byteTokens(tokenizer: Pick<Tokenizer, 'tokenToId'>): ReadonlySet<number> {
  const found = known.get(tokenizer) ?? foundByteTokens(tokenizer);
  known.set(tokenizer, found);
  return found;
}

function foundByteTokens(tokenizer: Pick<Tokenizer, 'tokenToId'>): Set<number> {
  const ids = new Set<number>();
  const digits = [...'0123456789abcdefABCDEF'];
  for (const high of [...digits, '+'])
    for (const low of digits) {
      const id = tokenizer.tokenToId(`<0x${high}${low}>`);
      if (id !== undefined) ids.add(id);
    }
  return ids;
}
