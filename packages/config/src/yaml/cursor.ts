// A place in YAML text: what stands there, on which line and column, and steps over line breaks.
import { YamlError } from './yaml-error.js';

const nonPrintable = /[^\t\n\r\x20-\x7e\x85\xa0-\ufffd]/; // surrogate halves stand for astral characters here

/** Line breaks of YAML 1.1. */
export const isBreak = (char: string) =>
  char === '\n' || char === '\r' || char === '\x85' || char === '\u2028' || char === '\u2029';
export const isBlankOrEnd = (char: string) => char === '' || char === ' ' || char === '\t' || isBreak(char);

export class Cursor {
  index = 0;
  /** 1-based. */
  line = 1;
  protected lineStart = 0;

  constructor(readonly text: string) {
    const bad = nonPrintable.exec(text);
    if (bad) {
      const before = text.slice(0, bad.index).split('\n');
      const code = `U+${bad[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
      throw new YamlError(
        `character ${code} is not allowed in YAML`,
        before.length,
        before.at(-1)!.length + 1,
        `write it as an escape in a double-quoted string`,
      );
    }
  }

  /** 0-based. */
  get column(): number {
    return this.index - this.lineStart;
  }

  /** One character; '' beyond the end. */
  peek(offset = 0): string {
    return this.text.charAt(this.index + offset);
  }

  fail(message: string, remedy?: string): never {
    throw new YamlError(message, this.line, this.column + 1, remedy);
  }

  /** `---` or `...` that ends a document. */
  atDocumentMark(mark: string): boolean {
    return this.text.startsWith(mark, this.index) && isBlankOrEnd(this.peek(3));
  }

  /** Consume one line break and give it normalised; '' where there is none. */
  scanBreak(): string {
    const char = this.peek();
    if (!isBreak(char)) return '';
    this.index += char === '\r' && this.peek(1) === '\n' ? 2 : 1;
    this.line++;
    this.lineStart = this.index;
    return char === '\u2028' || char === '\u2029' ? char : '\n';
  }
}
