import { stripVTControlCharacters } from 'node:util';

/** More of a line is not kept. */
const LONGEST_LINE = 1 << 20;

const hasText = (line: string): boolean => line.trim() !== '';

/** The last line of a stream of bytes, which may be long, that is wanted: with text, if nothing else is said. */
export class LastLine {
  #lines: [string, string] = ['', ''];
  readonly #decoder = new TextDecoder();

  constructor(private readonly isWanted: (line: string) => boolean = hasText) {}

  add(chunk: Buffer): void {
    const [finished, begun] = this.#lines;
    const lines = (begun + this.#decoder.decode(chunk, { stream: true })).split('\n');
    const rest = lines.pop()!;
    this.#lines = [lines.findLast((line) => this.#wants(line)) ?? finished, rest.slice(-LONGEST_LINE)];
  }

  get text(): string {
    const [finished, begun] = this.#lines;
    return plain(this.#wants(begun) ? begun : finished);
  }

  #wants(line: string): boolean {
    return this.isWanted(plain(line));
  }
}

/** Programs may colour what they print. */
const plain = (line: string): string => stripVTControlCharacters(line).trim();
