// Splits a Jinja template into tokens, with those options for whitespace that transformers sets: trim_blocks and lstrip_blocks.
// Source: jinja.palletsprojects.com/en/stable/templates, "Whitespace Control".
import { TemplateError } from './template-error.js';
import { strip } from './whitespace.js';
import { TemplateLimitError, templateLimits } from './work.js';

export interface Token {
  type:
    | 'text'
    | 'begin-print'
    | 'end-print'
    | 'begin-block'
    | 'end-block'
    | 'name'
    | 'string'
    | 'integer'
    | 'float'
    | 'operator'
    | 'end';
  value: string;
  line: number;
}

const NUMBER = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const NAME = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*/uy;
const STRING = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/sy;
const OPERATOR = /\*\*|\/\/|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y;
const SPACES = /\s+/y;
const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}' };

const TAG = /\{%|\{\{|\{#/g;
const RAW = /\{%[-+]?\s*raw\s*(?:-%\}\s*|%\})/y;
const END_RAW = /\{%([-+]?)\s*endraw\s*(?:\+%\}|-%\}\s*|%\}\n?)/g;
const END_COMMENT = /\+#\}|-#\}\s*|#\}\n?/g;
const END_BLOCK = /\+%\}|-%\}\s*|%\}\n?/y;
const END_PRINT = /-\}\}\s*|\}\}/y;

export function tokenize(template: string): Token[] {
  const { sourceLength } = templateLimits;
  if (template.length > sourceLength)
    throw new TemplateLimitError(`it has ${template.length} characters; templates have at most ${sourceLength}`);
  return new Lexer(template.replace(/\r\n?/g, '\n').replace(/\n$/, '')).tokens();
}

class Lexer {
  readonly #tokens: Token[] = [];
  #at = 0;
  #line = 1;
  #counted = 0;

  constructor(private readonly source: string) {}

  tokens(): Token[] {
    for (;;) {
      TAG.lastIndex = this.#at;
      const tag = TAG.exec(this.source);
      if (tag === null) {
        this.#text(this.source.slice(this.#at));
        this.#at = this.source.length;
        this.#add('end', '');
        return this.#tokens;
      }
      this.#tag(tag[0], tag.index);
    }
  }

  #tag(kind: string, begin: number): void {
    const sign = this.source[begin + 2];
    const text = this.source.slice(this.#at, begin);
    this.#text(kind === '{{' && sign !== '-' ? text : stripped(text, sign, this.#startsLine()));
    this.#at = begin;
    if (kind === '{#') {
      this.#skipTo(END_COMMENT, 'a comment');
      return;
    }
    const raw = kind === '{%' && this.#match(RAW);
    if (raw) {
      const start = (this.#at += raw.length);
      const end = this.#skipTo(END_RAW, 'raw');
      this.#text(stripped(this.source.slice(start, end.index), end[1], start === 0));
      return;
    }
    this.#add(kind === '{%' ? 'begin-block' : 'begin-print', kind);
    this.#at += sign === '-' || sign === '+' ? 3 : 2;
    this.#expression(kind === '{%');
  }

  #startsLine = () => this.#at === 0 || this.source[this.#at - 1] === '\n';

  #expression(isBlock: boolean): void {
    const open: string[] = [];
    for (;;) {
      const spaces = this.#match(SPACES);
      if (spaces) this.#at += spaces.length;
      const end = open.length === 0 && this.#match(isBlock ? END_BLOCK : END_PRINT);
      if (end) {
        this.#add(isBlock ? 'end-block' : 'end-print', '');
        this.#at += end.length;
        return;
      }
      this.#expressionToken(open);
    }
  }

  #expressionToken(open: string[]): void {
    for (const [type, pattern] of [
      ['float', NUMBER],
      ['integer', INTEGER],
      ['name', NAME],
      ['string', STRING],
    ] as const) {
      const found = this.#match(pattern);
      if (!found) continue;
      const value = type === 'string' ? unescaped(found.slice(1, -1)) : found;
      this.#add(type, type === 'float' || type === 'integer' ? value.replaceAll('_', '') : value);
      this.#at += found.length;
      return;
    }
    const operator = this.#match(OPERATOR);
    if (!operator) {
      const found = this.source.slice(this.#at, this.#at + 10);
      throw new TemplateError(
        found === '' ? 'the last {{ or {% is not closed' : `unexpected ${JSON.stringify(found)}`,
        this.#lineAt(),
      );
    }
    if (Object.hasOwn(CLOSING, operator)) open.push(CLOSING[operator]);
    if (/[)\]}]/.test(operator) && open.pop() !== operator)
      throw new TemplateError(`unexpected '${operator}'`, this.#lineAt());
    this.#add('operator', operator);
    this.#at += operator.length;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.source)?.[0];
  }

  #skipTo(pattern: RegExp, what: string): RegExpExecArray {
    pattern.lastIndex = this.#at;
    const end = pattern.exec(this.source);
    if (end === null) throw new TemplateError(`${what} does not end`, this.#lineAt());
    this.#at = end.index + end[0].length;
    return end;
  }

  #text(value: string): void {
    if (value !== '') this.#add('text', value);
  }

  #add(type: Token['type'], value: string): void {
    this.#tokens.push({ type, value, line: this.#lineAt() });
  }

  #lineAt(): number {
    for (; this.#counted < this.#at; this.#counted++) if (this.source[this.#counted] === '\n') this.#line++;
    return this.#line;
  }
}

/** With `-` all whitespace before the tag; otherwise the spaces on its line, unless the tag has a `+`. */
function stripped(text: string, sign: string, startsLine: boolean): string {
  if (sign === '-') return strip(text, null, 'end');
  if (sign === '+') return text;
  const line = text.lastIndexOf('\n') + 1;
  return (line > 0 || startsLine) && text.slice(line).trim() === '' ? text.slice(0, line) : text;
}

const ESCAPES: Record<string, string> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Replaces Python's escape sequences; unknown ones keep their backslash. */
const unescaped = (text: string): string =>
  text.replace(/\\(x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|[0-7]{1,3}|[^])/gi, (whole, code: string) => {
    if (/^[xuU]./.test(code) && code.length > 1) return String.fromCodePoint(parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCodePoint(parseInt(code, 8));
    return ESCAPES[code] ?? whole;
  });
