// Holds the text of an answer while it is generated. Its parsers are generators, which yield when they need more text, so that
// the text is parsed once from its beginning, however it is divided into chunks.

/** A parser of incoming text. It yields when it needs more text, and returns its result. */
export type Reading<T> = Generator<undefined, T>;

export class IncomingText {
  #text = '';
  #isWhole = false;
  at = 0;

  /** @param isLast whether it is the end of the answer */
  append(text: string, isLast: boolean): void {
    this.#text += text;
    this.#isWhole = isLast;
  }

  get text(): string {
    return this.#text;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Returns whether all text was read and no more will arrive. */
  get isOver(): boolean {
    return this.#isWhole && this.at >= this.#text.length;
  }

  /** Waits for the next character, and returns it without reading it; '' at the end of the answer. */
  *peek(): Reading<string> {
    while (this.at >= this.#text.length) {
      if (this.#isWhole) return '';
      yield;
    }
    return this.#text[this.at];
  }

  /** Returns whether a text comes next, without reading it; waits only while this is uncertain. */
  *startsWith(expected: string): Reading<boolean> {
    for (;;) {
      if (this.#text.startsWith(expected, this.at)) return true;
      if (this.#isWhole || !expected.startsWith(this.#text.slice(this.at, this.at + expected.length))) return false;
      yield;
    }
  }

  /** Reads a text, if it comes next. @returns whether it did */
  *take(expected: string): Reading<boolean> {
    const found = yield* this.startsWith(expected);
    if (found) this.at += expected.length;
    return found;
  }

  /** Reads characters as long as each of them matches `pattern`. */
  *takeWhile(pattern: RegExp): Reading<string> {
    const start = this.at;
    while (pattern.test(yield* this.peek())) this.at++;
    return this.#text.slice(start, this.at);
  }

  /** Reads white space followed by a text, if they come next. @returns whether they did */
  *takeBehindSpace(expected: string): Reading<boolean> {
    const { at } = this;
    yield* this.skipSpace();
    const found = yield* this.take(expected);
    if (!found) this.at = at;
    return found;
  }

  *skipSpace(): Reading<void> {
    yield* this.takeWhile(/^[ \t\r\n]$/);
  }

  /**
   * @param pass called with the text as it arrives, except for a possible beginning of a marker
   * @returns the first of the markers that comes; null at the end of the answer
   */
  *takeUpTo(marks: readonly string[], pass: (text: string) => void = () => {}): Reading<string | null> {
    for (;;) {
      const [at, mark] = this.#first(marks);
      const end = mark !== null || this.#isWhole ? at : at - halfMark(this.#text.slice(this.at), marks);
      if (end > this.at) pass(this.#text.slice(this.at, end));
      this.at = Math.max(this.at, end);
      if (mark !== null || this.#isWhole) return mark;
      yield;
    }
  }

  #first(marks: readonly string[]): [at: number, mark: string | null] {
    let first: [number, string | null] = [this.#text.length, null];
    for (const mark of marks) {
      const at = this.#text.indexOf(mark, this.at);
      if (at >= 0 && at < first[0]) first = [at, mark];
    }
    return first;
  }
}

/** Returns the number of last characters of a text that may be the beginning of a marker. */
function halfMark(text: string, marks: readonly string[]): number {
  let longest = 0;
  for (const mark of marks)
    for (let length = Math.min(mark.length - 1, text.length); length > longest; length--)
      if (text.endsWith(mark.slice(0, length))) longest = length;
  return longest;
}
