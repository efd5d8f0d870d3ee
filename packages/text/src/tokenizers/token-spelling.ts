// Finds the bytes that each token adds to a decoded text; together they are the text in UTF-8.
import type { Tokenizer } from './tokenizer.js';

/**
 * Finds the bytes of a text's tokens in turn. Each is decoded together with the previous token that has a text, since decoders
 * drop the space at the beginning of a text, and join or separate words.
 */
export class TokenSpelling {
  #before: number[] = [];
  /** The bytes of the tokens in `#before`; undefined until they are needed. */
  #bytesBefore: Uint8Array | undefined;
  #isShown = false;

  constructor(private readonly tokenizer: Tokenizer) {}

  /** Returns whether the token that the last call of `next` added is visible in the text; special tokens are not. */
  get isShown(): boolean {
    return this.#isShown;
  }

  /** The bytes that the text's next token adds. */
  next(id: number): Uint8Array {
    const bytes = this.peek(id);
    this.#isShown = this.tokenizer.decode([id]) !== '';
    if (this.#isShown || bytes.length === 0) {
      this.#before = [id];
      this.#bytesBefore = undefined;
    }
    return bytes;
  }

  /** Returns the bytes that a token would add if it were the text's next token. */
  peek(id: number): Uint8Array {
    const before = (this.#bytesBefore ??= this.tokenizer.decodeBytes(this.#before));
    const both = this.tokenizer.decodeBytes([...this.#before, id]);
    const isLonger = both.length >= before.length && before.every((byte, i) => both[i] === byte);
    return isLonger ? both.subarray(before.length) : this.tokenizer.decodeBytes([id]);
  }
}
