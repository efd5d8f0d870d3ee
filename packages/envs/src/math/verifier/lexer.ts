// Splits an answer, in LaTeX or plain text, into tokens. Commands of layout, such as `\left` and `\displaystyle`, are dropped.
import { withCommands } from './characters.js';

export interface Token {
  /**
   * The kind of token. `number`: digits with an optional point and exponent, without thousands separators. `letters`: a run of
   * letters; a short one that is not in `\text{…}` may be a product of variables. `command`: a function or construction, without
   * its backslash. `symbol`: a sign, a bracket or a separator. `decimals`: the repeating digits of a decimal.
   */
  kind: 'number' | 'letters' | 'command' | 'symbol' | 'decimals';
  text: string;
  isSpaced: boolean;
  /** Whether the letters are in upright type, as in `\text{…}`: they are then words or units, not variables. */
  isUpright: boolean;
}

const fonts = 'text|mbox|textbf|textit|textrm|textnormal|textsf|mathrm|mathbf|mathit|mathsf|operatorname\\*?|hbox|rm';

const LAYOUT = new RegExp(
  [
    String.raw`\\(?:left|right|middle|[bB]igg?[lrm]?|displaystyle|textstyle|scriptstyle|limits|nolimits|bf|rm|it)(?![a-zA-Z])`,
    String.raw`(?<!\\)\\[()[\]]`,
  ].join('|'),
  'g',
);

/** Matches numbers with thousands separators: 10\,000, 10{,}000, 10,\!000, and 10 000. */
const GROUPS =
  /(?<![\d.,_^\\]|\\frac ?)\d{1,3}(?:(?: ?\{ ?, ?\}|,\\! ?|\\[,!;: ] ?|~| )\d{3})+(?!\d|,\d| ?\/ ?\d|(?:\{ ?, ?\}|\\[,!])\d)/g;

const SPACES = /(?:\\[,;:! ]|~|\\q?quad|\\hspace\{[^{}]*\}|\s)+/y;
const ROW_GAPS = /\\\\ ?\[ ?[\d.]+ ?(?:pt|ex|em|mm|cm)\]/g;
const DEGREES = /\^ ?(?:\{ ?\\circ ?\}|\\circ(?![a-zA-Z]))|\\degree(?![a-zA-Z])/g;

/** The sign for which each LaTeX command stands, such as <= for `\le`. */
const signs: Readonly<Record<string, string>> = {
  le: '<=',
  leq: '<=',
  leqslant: '<=',
  ge: '>=',
  geq: '>=',
  geqslant: '>=',
  lt: '<',
  gt: '>',
  ne: '!=',
  neq: '!=',
  approx: '≈',
  simeq: '≈',
  cdot: '*',
  times: '*',
  ast: '*',
  div: '/',
  pm: '±',
  mp: '∓',
  lvert: '|',
  rvert: '|',
  vert: '|',
  mid: '|',
  cup: '∪',
  cap: '∩',
  in: '∈',
  lbrace: '\\{',
  rbrace: '\\}',
  langle: '(',
  rangle: ')',
  lparen: '(',
  rparen: ')',
  colon: ':',
  setminus: '∖',
  backslash: '∖',
  land: 'and',
  wedge: 'and',
  lor: 'or',
  vee: 'or',
  prime: "'",
  degree: '°',
  cdots: '…',
  ldots: '…',
  dots: '…',
  infin: '∞',
  infty: '∞',
  lbrack: '[',
  rbrack: ']',
};

/** The canonical name for each alternative name of a word or command. A canonical name may be replaced again. */
const synonyms: Readonly<Record<string, string>> = {
  dfrac: 'frac',
  tfrac: 'frac',
  cfrac: 'frac',
  dbinom: 'binom',
  tbinom: 'binom',
  lg: 'log',
  tg: 'tan',
  ctg: 'cot',
  asin: 'arcsin',
  acos: 'arccos',
  atan: 'arctan',
  cosec: 'csc',
  varnothing: 'emptyset',
  varphi: 'phi',
  varepsilon: 'epsilon',
  overrightarrow: 'vec',
  bar: 'overline',
  // In LaTeX, \sqrt takes one character: \sqrt12 is √1 · 2. In plain text, `sqrt` takes all digits, as another command.
  sqrt: 'radical',
};

/** Words that count as commands also without a backslash: functions, constants and Greek letters. */
const plainCommands: ReadonlySet<string> = new Set(
  (
    'sqrt cbrt abs exp ln log lg sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan arccot arcsec arccsc asin acos atan ' +
    'pi theta alpha beta gamma delta lambda sigma omega epsilon floor ceil'
  ).split(' '),
);

const FUNCTION_AND_LETTER = /^(sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|ln|log|exp|sqrt)([a-z])$/;

const words: Readonly<Record<string, string>> = { and: 'and', or: 'or', infinity: '∞', inf: '∞', oo: '∞' };

const MAX_TOKENS = 1500;

/** Splits a text into tokens; returns null if the text contains an unsupported character or has too many tokens. */
export function tokensOf(text: string): Token[] | null {
  const plain = withCommands(text)
    .replace(LAYOUT, ' ')
    .replace(ROW_GAPS, '\\\\')
    .replace(DEGREES, '°')
    .replace(/\bper cent\b/gi, 'percent')
    .replace(GROUPS, (group) => group.replace(/\D/g, ''));
  const lexer = new Lexer(plain);
  return lexer.read() ? lexer.tokens : null;
}

const NUMBER = /(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d+)?(?:[eE][+-]?\d+(?![a-zA-Z\d]))?|\.\d+/y;
const UNGROUPED_NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+(?![a-zA-Z\d]))?|\.\d+/y;
const REPEATING = /\.(\d*)(?:\\(?:overline|bar|dot) ?(?:\{ ?(\d+) ?\}|(\d))|\((\d+)\))/y;
const LETTERS = /\p{L}+/uy;
const COMMAND = /\\([a-zA-Z]+\*?)/y;
const SYMBOL = /\\[{}%$&#_|\\]|<=|>=|!=|=<|=>|->|\*\*|[-+*/^_!=<>≈±∪|,;:()[\]{}'%°…$€£¢&‰?.~@#"`]/y;
const FONT = new RegExp(String.raw`\\(${fonts}) ?(?=\{)`, 'y');

class Lexer {
  readonly tokens: Token[] = [];
  #position = 0;
  #isSpaced = false;
  /** The number of open brackets. Within them, a comma between digits separates members and not thousands. */
  #depth = 0;

  constructor(
    private readonly text: string,
    private readonly isUpright = false,
  ) {}

  read(): boolean {
    while (this.#position < this.text.length) {
      this.#isSpaced = this.#take(SPACES) !== null || this.#isSpaced;
      if (this.#position >= this.text.length) break;
      if (!this.#next() || this.tokens.length > MAX_TOKENS) return false;
    }
    return true;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.text);
    if (match !== null) this.#position = pattern.lastIndex;
    return match;
  }

  #push(kind: Token['kind'], text: string): true {
    this.tokens.push({ kind, text, isSpaced: this.#isSpaced, isUpright: this.isUpright });
    this.#isSpaced = false;
    return true;
  }

  #next(): boolean {
    const number = this.#take(this.#depth > 0 ? UNGROUPED_NUMBER : NUMBER);
    if (number !== null) return this.#number(number[0].replaceAll(',', ''));
    const letters = this.#take(LETTERS);
    if (letters !== null) return this.#letters(letters[0]);
    const font = this.#take(FONT);
    if (font !== null) return this.#upright();
    const symbol = this.#take(SYMBOL);
    if (symbol !== null) return this.#symbol(symbol[0]);
    const command = this.#take(COMMAND);
    return command !== null && this.#command(command[1]);
  }

  #number(text: string): true {
    const repeating = /^\d+$/.test(text) ? this.#take(REPEATING) : null;
    // The digits before `\overline` belong to the same decimal: in 0.1\overline{6}, the number token already contains 0.1.
    const after = repeating === null && /^\d+\.\d+$/.test(text) ? this.#take(AFTER_DECIMALS) : null;
    if (repeating !== null) {
      this.#push('number', `${text}.${repeating[1]}`);
      return this.#push('decimals', repeating[2] ?? repeating[3] ?? repeating[4]);
    }
    this.#push('number', text);
    return after === null ? true : this.#push('decimals', after[1] ?? after[2]);
  }

  #letters(text: string): true {
    const lower = text.toLowerCase();
    if (Object.hasOwn(words, lower)) return this.#push('symbol', words[lower]);
    if (plainCommands.has(text)) return this.#push('command', synonyms[text] ?? text);
    const joined = this.isUpright ? null : FUNCTION_AND_LETTER.exec(text);
    if (joined === null) return this.#push('letters', text);
    this.#push('command', synonyms[joined[1]] ?? joined[1]);
    return this.#push('letters', joined[2]);
  }

  /** Reads the content of `\text{…}` as letters in upright type. @returns false if it cannot be read */
  #upright(): boolean {
    const found = balanced(this.text, this.#position);
    if (found === null) return false;
    const inner = new Lexer(found.inner, true);
    if (!inner.read()) return false;
    for (const token of inner.tokens) {
      this.tokens.push({ ...token, isSpaced: token.isSpaced || this.#isSpaced });
      this.#isSpaced = false;
    }
    this.#isSpaced = inner.#isSpaced;
    this.#position = found.end;
    return true;
  }

  #symbol(text: string): true {
    const symbol = normalized[text] ?? text;
    if (symbol === '(' || symbol === '[' || symbol === '\\{') this.#depth++;
    if (symbol === ')' || symbol === ']' || symbol === '\\}') this.#depth--;
    return this.#push('symbol', symbol);
  }

  #command(name: string): boolean {
    if (name === 'mathbb' || name === 'mathcal') return this.#setName();
    if (name === 'pmod' || name === 'bmod' || name === 'mod') return this.#push('letters', 'modulo');
    const sign = signs[name];
    return sign === undefined
      ? this.#push('command', name === 'sqrt' ? name : (synonyms[name] ?? name))
      : this.#symbol(sign);
  }

  /** Reads the name of a set of numbers, the `{R}` of `\mathbb{R}`. @returns false if it is not a capital letter */
  #setName(): boolean {
    const set = this.#take(/ ?(?:\{ ?([A-Z]) ?\}|([A-Z]))/y);
    return set !== null && this.#push('command', `set ${set[1] ?? set[2]}`);
  }
}

const AFTER_DECIMALS = /\\(?:overline|bar|dot) ?(?:\{ ?(\d+) ?\}|(\d))/y;

const normalized: Readonly<Record<string, string>> = {
  '**': '^',
  '=<': '<=',
  '=>': '→',
  '->': '→',
  '\\%': '%',
  '\\&': '&',
  '\\_': '_',
  '\\#': '#',
  '\\|': '|',
};

/** Finds the bracket that closes the one at `start`. @returns the text between them and the index after the bracket, or null */
export function balanced(text: string, start: number): { inner: string; end: number } | null {
  const open = text[start];
  const close = open === '{' ? '}' : open === '[' ? ']' : ')';
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === '\\') i++; // \{ is a character of the text, not a group of LaTeX
    else if (text[i] === open) depth++;
    else if (text[i] === close && --depth === 0) return { inner: text.slice(start + 1, i), end: i + 1 };
  }
  return null;
}
