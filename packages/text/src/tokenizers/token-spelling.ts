// The bytes that each token of a text stands for; joined they are the text's UTF-8.
import type { Tokenizer } from './tokenizer.js';

/**
 * The bytes of a text's tokens, one after the other. A token is spelled behind the one before it, since decoders drop the space that
 * a text begins with, and join or part words; special tokens, which a text does not show, do not count as before it.
 */
export class TokenSpelling {
  #before: number[] = [];
  /** The bytes of `#before`; undefined until they are needed. */
  #bytesBefore: Uint8Array | undefined;
  #isShown = false;

  constructor(private readonly tokenizer: Tokenizer) {}

  /** Returns whether the token that was the last `next` one shows in the text. */
  get isShown(): boolean {
    return this.#isShown;
  }

  /**
   * Returns the bytes that the next token adds.
   *
   * @param id the text's next token
   */
  next(id: number): Uint8Array {
    const bytes = this.peek(id);
    this.#isShown = this.tokenizer.decode([id]) !== '';
    if (this.#isShown || bytes.length === 0) {
      this.#before = [id];
      this.#bytesBefore = undefined;
    }
    return bytes;
  }

  /** Returns the bytes of a token that could have been the next one. */
  peek(id: number): Uint8Array {
    const before = (this.#bytesBefore ??= this.tokenizer.decodeBytes(this.#before));
    const both = this.tokenizer.decodeBytes([...this.#before, id]);
    const isLonger = both.length >= before.length && before.every((byte, i) => both[i] === byte);
    return isLonger ? both.subarray(before.length) : this.tokenizer.decodeBytes([id]);
  }
}
