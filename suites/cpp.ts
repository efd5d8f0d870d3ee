// Reads C++ literals, in which some suites write their tests.

/** The error for a text of C++ that the reader does not support. */
export class UnreadError extends Error {}

/** Reads texts and words of C++ from a position in a source, and skips spaces and comments. */
export class CppReader {
  constructor(
    protected readonly source: string,
    public at: number,
  ) {}

  /** Reads one text, or several in a row, which C++ joins. */
  text(): string {
    let text = '';
    for (let count = 0; ; count++) {
      const raw = this.matched(/R"(\w*)\(([^]*?)\)\1"/y);
      const plain = raw === null ? this.matched(/"(?:[^"\\\n]|\\.)*"/y) : null;
      if (raw !== null) text += raw.slice(raw.indexOf('(') + 1, raw.lastIndexOf(')'));
      else if (plain !== null) text += JSON.parse(plain.replaceAll(/\\'/g, "'")) as string;
      else if (count > 0) return text;
      else throw new UnreadError('text');
    }
  }

  take(text: string): void {
    if (!this.took(text)) throw new UnreadError(text);
  }

  /** Reads this text if it comes next. @returns whether it did */
  took(text: string): boolean {
    const escaped = text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
    return this.matched(new RegExp(escaped, 'y')) !== null;
  }

  /** Reads the text that a sticky pattern matches; null where it does not match. */
  matched(pattern: RegExp): string | null {
    const space = /(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*/y;
    space.lastIndex = this.at;
    this.at += space.exec(this.source)![0].length;
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0] ?? null;
    this.at += found?.length ?? 0;
    return found;
  }
}
