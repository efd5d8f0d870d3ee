import { stripVTControlCharacters } from 'node:util';

/** The largest number of characters of a line that are kept; of a longer line, the end is kept. */
const LONGEST_LINE = 1 << 20;

/** Finds the last line of a program's output that is not empty and passes a filter. */
export class LastLine {
  #finished = '';
  /** The chunks of the last line, which is not yet complete. */
  #begun: string[] = [];
  #length = 0;
  readonly #decoder = new TextDecoder();

  constructor(private readonly isWanted: (line: string) => boolean = () => true) {}

  add(chunk: Buffer): void {
    const lines = this.#decoder.decode(chunk, { stream: true }).split('\n');
    this.#continue(lines[0]);
    if (lines.length === 1) return;
    lines[0] = this.#line;
    const rest = lines.pop()!;
    this.#finished = this.#lastOf(lines) ?? this.#finished;
    this.#begun = [];
    this.#length = 0;
    this.#continue(rest);
  }

  get text(): string {
    const begun = plain(this.#line);
    return begun !== '' && this.isWanted(begun) ? begun : this.#finished;
  }

  #lastOf(lines: readonly string[]): string | null {
    for (let i = lines.length - 1; i >= 0; i--) {
      const line = lines[i] === '' ? '' : plain(lines[i]);
      if (line !== '' && this.isWanted(line)) return line;
    }
    return null;
  }

  #continue(piece: string): void {
    this.#begun.push(piece);
    this.#length += piece.length;
    while (this.#length - this.#begun[0].length >= LONGEST_LINE) this.#length -= this.#begun.shift()!.length;
  }

  get #line(): string {
    return this.#begun.join('').slice(-LONGEST_LINE);
  }
}

/** Removes the terminal's colour codes, and the spaces around a line. */
const plain = (line: string): string => stripVTControlCharacters(line).trim();
