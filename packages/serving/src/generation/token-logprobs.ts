// Lists the tokens of an answer as OpenAI's API returns them: text, bytes, log-probability, and offset in the answer's text.
import { isUtf8 } from 'node:buffer';
import type { TopLogprobs } from '@bowyer/models';
import { TokenSpelling, type Tokenizer } from '@bowyer/text';

export interface Alternative {
  id: number;
  /** The bytes of the token, which may be only some of the bytes of a multi-byte character. */
  bytes: Uint8Array;
  /** The log-probability in nats; null for a prompt's first token, which the model does not predict. */
  logprob: number | null;
}

export interface TokenLogprob extends Alternative {
  /** The number of characters of the text that precede the token. */
  offset: number;
  /** The log-probability under the answer's constraint, where it has one. */
  maskedLogprob?: number;
  /** The most likely tokens at the position, as many as the request asked for. */
  topLogprobs: readonly Alternative[];
}

export class SpelledTokens {
  readonly #spelling: TokenSpelling;
  readonly #text = new TextDecoder();
  #offset: number;

  /** @param before tokens that precede the list in the text @param offset number of characters that precede the list */
  constructor(tokenizer: Tokenizer, before: readonly number[] = [], offset = 0) {
    this.#offset = offset;
    this.#spelling = new TokenSpelling(tokenizer);
    // The decoder only needs the tokens from the last visible one on, since earlier tokens do not affect the text of later ones.
    const shown = before.findLastIndex((id) => tokenizer.decode([id]) !== '');
    for (const id of before.slice(Math.max(0, shown))) this.#spelling.next(id);
  }

  /** @param top number of most likely tokens to return */
  add(id: number, logprob: number | null, found?: TopLogprobs, top = 0): TokenLogprob {
    const ids = found?.ids.slice(0, top) ?? [];
    const topLogprobs = ids.map((other, i) => ({
      id: other,
      bytes: this.#spelling.peek(other),
      logprob: found!.logprobs[i],
    }));
    const bytes = this.#spelling.next(id);
    return { id, bytes, logprob, offset: this.#advance(bytes), topLogprobs };
  }

  /** Returns the offset of the token in the text; for a token that is a part of a character, the offset of the character. */
  #advance(bytes: Uint8Array): number {
    const before = this.#offset;
    if (!this.#spelling.isShown) return before;
    this.#offset += this.#text.decode(bytes, { stream: true }).length;
    const text = textOf(bytes);
    return text === null ? before : this.#offset - text.length; // the text includes that of preceding bytes
  }
}

/** Null for a part of a character. Checks the bytes first, since a strict decoder throws, which takes 50 times as long. */
export const textOf = (bytes: Uint8Array): string | null =>
  isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString() : null;

/** Writes bytes that are not valid UTF-8 as OpenAI's API does: `\\xe2\\x9c`. */
export const escaped = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
