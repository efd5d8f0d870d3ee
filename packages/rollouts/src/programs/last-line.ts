import { stripVTControlCharacters } from 'node:util';

/** More of a line is not kept. */
const LONGEST_LINE = 1 << 20;

/** The last line with text of a stream of bytes, which may be long. */
export class LastLine {
  #lines: [string, string] = ['', ''];
  readonly #decoder = new TextDecoder();

  add(chunk: Buffer): void {
    const [finished, begun] = this.#lines;
    const lines = (begun + this.#decoder.decode(chunk, { stream: true })).split('\n');
    const rest = lines.pop()!;
    this.#lines = [lines.findLast((line) => line.trim() !== '') ?? finished, rest.slice(-LONGEST_LINE)];
  }

  get text(): string {
    const [finished, begun] = this.#lines;
    return stripVTControlCharacters(begun.trim() === '' ? finished : begun).trim(); // programs may colour what they print
  }
}
