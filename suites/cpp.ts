// Reads the literals of C++ that tests are written in.

/** The text is not of the form that the reader knows. */
export class UnreadError extends Error {}

/** Reads texts and words of C++ from a place in a source, over spaces and comments. */
export class CppReader {
  constructor(
    protected readonly source: string,
    public at: number,
  ) {}

  /** Reads one text or several behind each other. */
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

  /** Reads this text, if it comes next. */
  took(text: string): boolean {
    const escaped = text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
    return this.matched(new RegExp(escaped, 'y')) !== null;
  }

  /** Reads what a sticky pattern matches; null where it does not. */
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
