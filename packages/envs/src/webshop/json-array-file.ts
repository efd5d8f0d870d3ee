// Reads the elements of a JSON array one at a time, since WebShop's file of items exceeds the longest JavaScript string.
import { closeSync, openSync, readSync } from 'node:fs';

const CHUNK = 2 ** 24;

const [QUOTE, BACKSLASH, COMMA] = [...'"\\,'].map((mark) => mark.charCodeAt(0));
const [OPENING, CLOSING] = ['{[', '}]'].map((marks) => [...marks].map((mark) => mark.charCodeAt(0)));

/** Yields the elements of the array. @throws {SyntaxError} if the file is not an array of objects */
export function* jsonArrayIn<T>(path: string): Generator<T> {
  const file = openSync(path, 'r');
  try {
    const scanner = new Scanner();
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (;;) {
      const length = readSync(file, chunk, 0, CHUNK, null);
      if (length === 0) break;
      for (const element of scanner.elementsIn(chunk.subarray(0, length))) yield JSON.parse(element) as T;
    }
    scanner.end();
  } finally {
    closeSync(file);
  }
}

/** Splits the bytes of the file where an object of the array ends. It counts brackets outside of strings. */
class Scanner {
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  #hasArray = false;
  /** The bytes of the current element that were in earlier chunks of the file. */
  #begun: Buffer[] = [];

  *elementsIn(chunk: Buffer): Generator<string> {
    let start = this.#depth > 1 ? 0 : -1;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (this.#isString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isString = false;
      } else if (byte === QUOTE) {
        this.#isString = true;
        this.#assertInside();
      } else if (OPENING.includes(byte)) {
        this.#open(byte);
        if (this.#depth === 2) start = i;
      } else if (CLOSING.includes(byte)) {
        this.#depth--;
        if (this.#depth !== 1) continue;
        yield Buffer.concat([...this.#begun, chunk.subarray(start, i + 1)]).toString('utf8');
        this.#begun = [];
        start = -1;
      } else if (this.#depth < 2 && byte > 32 && byte !== COMMA) this.#assertInside();
    }
    if (start >= 0) this.#begun.push(Buffer.from(chunk.subarray(start)));
  }

  end(): void {
    if (!this.#hasArray || this.#depth !== 0) throw new SyntaxError('the text ends before its array does');
  }

  #open(byte: number): void {
    if (this.#depth === 0 && byte !== OPENING[1]) throw new SyntaxError('the text is not an array');
    if (this.#depth === 1 && byte !== OPENING[0]) throw new SyntaxError('an element of the array is not an object');
    this.#hasArray = true;
    this.#depth++;
  }

  #assertInside(): void {
    if (this.#depth < 2) throw new SyntaxError('the text is not an array of objects');
  }
}
