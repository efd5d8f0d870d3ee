// LaTeX and other spellings of mathematics in one plain form, and expressions as a parser of programs reads them.

/** From the bracket at `start` to its partner; null where there is none. @returns what is between them, and where it ends */
export function balanced(text: string, start: number): { inner: string; end: number } | null {
  const open = text[start];
  const close = open === '{' ? '}' : open === '[' ? ']' : ')';
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === '\\')
      i++; // \{ is a character of the text, not a bracket of LaTeX
    else if (text[i] === open) depth++;
    else if (text[i] === close && --depth === 0) return { inner: text.slice(start + 1, i), end: i + 1 };
  }
  return null;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** One character for each sign and digit, however it was typed. */
export function plainCharacters(text: string): string {
  return text
    .replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (digits) => `^${[...digits].map((digit) => SUPERSCRIPTS.indexOf(digit)).join('')}`)
    .replace(/[¼-¾⅐-⅞]/g, ' $&') // 1½ is one and a half, not eleven halves
    .normalize('NFKC')
    .replace(/[\u2212\u2010-\u2015\uFE63]/g, '-')
    .replace(/\u2044/g, '/')
    .replace(/[\u00D7\u22C5\u00B7]/g, '*')
    .replace(/\u00F7/g, '/');
}

/** One spelling besides: without `\text{…}`, `\left`, math delimiters, second spaces and the full stop at the end. */
export function plainText(text: string): string {
  return plainCharacters(text)
    .replace(/\\(?:left|right|displaystyle|limits|bf|rm)(?![a-zA-Z])/g, '')
    .replace(/,\\!|\{,\}/g, ',')
    .replace(/\\[,;:! ]|~|\\q?quad(?![a-zA-Z])/g, ' ')
    .replace(/\\\(|\\\)|\\\[|\\\]/g, '')
    .replace(/\\(?:text|mbox|textbf|textit|mathrm|mathbf|operatorname)\s*\{([^{}]*)\}/g, ' $1 ')
    .replace(/\\([%&#_])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<=.)[.;]$/, '')
    .trim();
}

const NUMBER = /(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+/y;
const UNGROUPED_NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+/y;
const MIXED = /(\d+) +(\d+) ?\/ ?(\d+)(?![\d.^*(])/y;
const OPERATOR = /\*\*|[-+*/^]|\\cdot(?![a-zA-Z])|\\times(?![a-zA-Z])|\\div(?![a-zA-Z])/y;
const LETTERS = /\\?[a-zA-Z]+|π|√/y;

const operators: Readonly<Record<string, string>> = { '^': '**', '\\cdot': '*', '\\times': '*', '\\div': '/' };
const functionNames: ReadonlySet<string> = new Set(['sqrt', 'abs', 'exp', 'ln', 'log', 'sin', 'cos', 'tan']);

/** Letters in a row that may still be a product of variables; a longer run is a word. */
const MAX_VARIABLES = 3;

/**
 * An expression in the syntax of programs: every product written with `*`, powers with `**`, parentheses as calls of `group`,
 * and 1 1/2 as `mixed(1, 1, 2)`.
 *
 * @param text as `plainText` returns it
 * @returns null where it is no expression
 */
export function expressionText(text: string): string | null {
  const scanner = new Scanner(text);
  return scanner.sequence();
}

class Scanner {
  #position = 0;

  /** @param inParentheses 1,234 is then two numbers, as in a pair */
  constructor(
    private readonly text: string,
    private readonly inParentheses = false,
  ) {}

  sequence(): string | null {
    let written = '';
    let last: 'operator' | 'number' | 'value' = 'operator';
    for (this.#spaces(); this.#position < this.text.length; this.#spaces()) {
      const operator = this.#take(OPERATOR);
      if (operator !== null) {
        written += ` ${operators[operator] ?? operator} `;
        last = 'operator';
        continue;
      }
      const isNumber = /[\d.]/.test(this.text[this.#position]);
      if (isNumber && last === 'number') return null; // `1 2` is no product
      const value = this.#value();
      if (value === null) return null;
      written += last === 'operator' ? value : ` * ${value}`;
      last = isNumber ? 'number' : 'value';
    }
    return written;
  }

  #spaces(): void {
    while (this.text[this.#position] === ' ') this.#position++;
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.text);
    if (match === null) return null;
    this.#position = pattern.lastIndex;
    return match[0];
  }

  #value(): string | null {
    const mixed = this.#take(MIXED);
    if (mixed !== null) return `mixed(${mixed.match(/\d+/g)!.join(', ')})`;
    const number = this.#take(this.inParentheses ? UNGROUPED_NUMBER : NUMBER);
    if (number !== null) return this.#withFraction(number.replaceAll(',', ''));
    if ('({'.includes(this.text[this.#position])) return this.#group();
    return this.#named();
  }

  /** `2\frac{1}{2}` is a mixed number, `2\frac{x}{2}` a product. */
  #withFraction(number: string): string | null {
    const rest = /^ ?(?:\\[dtc]?frac) ?(?:\{(\d+)\}|(\d)) ?(?:\{(\d+)\}|(\d))/.exec(this.text.slice(this.#position));
    if (!rest || !/^\d+$/.test(number)) return number;
    this.#position += rest[0].length;
    return `mixed(${number}, ${rest[1] ?? rest[2]}, ${rest[3] ?? rest[4]})`;
  }

  #group(): string | null {
    const found = balanced(this.text, this.#position);
    if (found === null) return null;
    const isParenthesis = this.text[this.#position] === '(';
    this.#position = found.end;
    const inner = new Scanner(found.inner, isParenthesis || this.inParentheses).sequence();
    return inner === null || inner === '' ? null : `group(${inner})`;
  }

  #named(): string | null {
    const letters = this.#take(LETTERS);
    if (letters === null) return null;
    const name = letters.replace('\\', '');
    if (/^[dtc]?frac$/.test(name)) return this.#fraction();
    if (name === 'pi' || name === 'π') return 'pi';
    if (letters === '\\sqrt') return this.#root();
    if (name === '√' || functionNames.has(name)) return this.#applied(name === '√' ? 'sqrt' : name);
    if (letters.startsWith('\\') || name.length > MAX_VARIABLES) return null;
    return [...name].join(' * ');
  }

  #fraction(): string | null {
    const [numerator, denominator] = [this.#argument(), this.#argument()];
    return numerator === null || denominator === null ? null : `group(${numerator} / ${denominator})`;
  }

  /** `\sqrt[3]{8}` has its degree before what it is of. */
  #root(): string | null {
    this.#spaces();
    if (this.text[this.#position] !== '[') {
      const argument = this.#argument();
      return argument && `sqrt(${argument})`;
    }
    const degree = balanced(this.text, this.#position);
    if (degree === null) return null;
    this.#position = degree.end;
    const [n, of] = [new Scanner(degree.inner).sequence(), this.#argument()];
    return n && of && `root(${of}, ${n})`;
  }

  /** A function of the next value: `sin x` or `sin(x)`. */
  #applied(name: string): string | null {
    this.#spaces();
    const argument = this.#value();
    return argument && `${name}(${argument})`;
  }

  /** LaTeX's argument: a group in braces, or one character. */
  #argument(): string | null {
    this.#spaces();
    const next = this.text[this.#position] ?? '';
    if ('({'.includes(next) && next !== '') return this.#group();
    if (!/[0-9a-z]/i.test(next)) return next === '\\' ? this.#named() : null;
    this.#position++;
    return next;
  }
}
