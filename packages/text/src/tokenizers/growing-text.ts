// The text of tokens that arrive one after the other, without decoding all of them each time. The text that a token adds depends on a few
// tokens before it, except where a decoder looks further: within a character, and within a run of byte tokens, nothing is settled.
import type { Tokenizer } from './tokenizer.js';

/** The character that an incomplete multi-byte character decodes to. */
const HALF_CHARACTER = '\uFFFD';

/** Tokens that are decoded again before those that are not settled. */
const CONTEXT = 8;

/** So many tokens are settled at a time. */
const AT_ONCE = 16;

export interface GrowingTextOptions {
  /** Tokens that are a byte each: see `byteTokens`. */
  byteIds: ReadonlySet<number>;
  /** How many characters before the text that was settled last are kept apart from the older text, since they are often asked for. */
  keeps: number;
}

export class GrowingText {
  readonly #ids: number[] = [];
  /** The text up to #kept, which is long and rarely read. */
  #old = '';
  /** The settled text behind it. */
  #kept = '';
  /** The text of the tokens from #settled on. */
  #fresh = '';
  /** Tokens whose text does not change any more; those from #context on are decoded again with what follows. */
  #settled = 0;
  #context = 0;

  /** Starts without tokens. @param decode decodes all of a text's tokens */
  constructor(
    private readonly decode: (ids: readonly number[]) => string,
    private readonly options: GrowingTextOptions,
  ) {}

  /** Returns the length in characters. */
  get length(): number {
    return this.settledLength + this.#fresh.length;
  }

  /** Counts the characters at the beginning that stay as they are, whatever follows. */
  get settledLength(): number {
    return this.#old.length + this.#kept.length;
  }

  /** Returns the same as decoding all tokens at once. */
  get text(): string {
    return this.from(0);
  }

  /** Returns the text from this character on. */
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

  /** Settles all tokens so far, if the text of the next one does not depend on how they began. */
  #settle(): void {
    const last = this.#ids.at(-1)!;
    // A run of bytes continues behind special tokens, which decoders do not see.
    if (this.options.byteIds.has(last) || this.decode([last]) === '') return;
    const [few, all] = [this.#ids.length - CONTEXT, this.#context];
    // Where the last few stand for nothing, those before them are context too.
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

  /** Decodes all tokens again: the decoder joins what was settled with what follows after all. */
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

/** Finds tokens such as `<0x0A>`, which decoders look at together. Found once for a tokenizer. */
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
