// The bytes that each token of a text stands for; joined they are the text's UTF-8.
import type { Tokenizer } from './tokenizer.js';

/**
 * The bytes of a text's tokens, one after the other. A token is spelled behind the one before it, since decoders drop the space that
 * a text begins with, and join or part words; special tokens, which a text does not show, do not count as before it.
 */
export class TokenSpelling {
  #before: number[] = [];

  constructor(private readonly tokenizer: Tokenizer) {}

  /** @param id the text's next token */
  next(id: number): Uint8Array {
    const bytes = this.peek(id);
    if (this.tokenizer.decode([id]) !== '' || bytes.length === 0) this.#before = [id];
    return bytes;
  }

  /** The bytes of a token that could have been the next one. */
  peek(id: number): Uint8Array {
    const before = this.tokenizer.decodeBytes(this.#before);
    const both = this.tokenizer.decodeBytes([...this.#before, id]);
    const isLonger = both.length >= before.length && before.every((byte, i) => both[i] === byte);
    return isLonger ? both.subarray(before.length) : this.tokenizer.decodeBytes([id]);
  }
}
