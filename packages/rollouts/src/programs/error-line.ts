import { LastLine } from './last-line.js';

/** The largest number of characters of the program's line in an error message. */
const LONGEST_SHOWN = 400;

/** Finds the line of a program's standard error that explains why it ended: the line of an uncaught error, else the last line. */
export class ErrorLine {
  readonly #last = new LastLine();
  readonly #uncaught = new LastLine(isUncaught);

  add(chunk: Buffer): void {
    this.#last.add(chunk);
    this.#uncaught.add(chunk);
  }

  /** Returns the found line; empty if the program has printed none. */
  get text(): string {
    return (this.#uncaught.text || this.#last.text).slice(0, LONGEST_SHOWN);
  }
}

/** Returns whether a line reports an uncaught error of a program, such as `TypeError: …`, in linear time. */
function isUncaught(line: string): boolean {
  const [name] = /^[\w.$]*/.exec(line)!;
  return /(?:Error|Exception)(?!\w)/.test(name) && line[line.indexOf(':') + 1] === ' ';
}
