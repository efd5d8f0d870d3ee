import { LastLine } from './last-line.js';

/** The most characters of a line in an error. */
const LONGEST_SHOWN = 400;

/** Finds the line of a program's standard error that explains its end: that of an uncaught error, else the last one. */
export class ErrorLine {
  readonly #last = new LastLine();
  readonly #uncaught = new LastLine(isUncaught);

  add(chunk: Buffer): void {
    this.#last.add(chunk);
    this.#uncaught.add(chunk);
  }

  /** Returns the line; empty where there is none. */
  get text(): string {
    return (this.#uncaught.text || this.#last.text).slice(0, LONGEST_SHOWN);
  }
}

/**
 * Returns whether a line is that of an uncaught error in Node, Python and other languages: `TypeError: …`,
 * `openai.BadRequestError: …`. The time is linear in the length of the line, which is not bounded.
 */
function isUncaught(line: string): boolean {
  const [name] = /^[\w.$]*/.exec(line)!;
  return /(?:Error|Exception)(?!\w)/.test(name) && line[line.indexOf(':') + 1] === ' ';
}
