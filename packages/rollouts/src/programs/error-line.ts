import { LastLine } from './last-line.js';

/** An uncaught error in Node, Python and other languages: `TypeError: …`, `openai.BadRequestError: …`. */
const UNCAUGHT = /^[\w.$]*(Error|Exception)\b[^:]*: /;

/** More of a line is not shown. */
const LONGEST_SHOWN = 400;

/** The line of a program's standard error that says why it ended: that of an uncaught error, else the last one. */
export class ErrorLine {
  readonly #last = new LastLine();
  readonly #uncaught = new LastLine((line) => UNCAUGHT.test(line));

  add(chunk: Buffer): void {
    this.#last.add(chunk);
    this.#uncaught.add(chunk);
  }

  /** Empty where there is none. */
  get text(): string {
    return (this.#uncaught.text || this.#last.text).slice(0, LONGEST_SHOWN);
  }
}
