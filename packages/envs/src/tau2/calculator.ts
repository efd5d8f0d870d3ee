// Implements tau2's tool `calculate`: it evaluates Python expressions of numbers, + - * / // **, parentheses and spaces.
import { ToolError } from './store.js';

/** The largest nesting depth of parentheses and signs. Python's own limit is similar. */
const DEEPEST = 200;

const TOKEN = /\s*(\d+\.\d*|\.\d+|\d+|\*\*|\/\/|[-+*/()])/y;

/** Returns the value of an arithmetic expression. @throws {ToolError} if it is invalid */
export function calculate(expression: string): number {
  if (/[^0-9+\-*/(). ]/.test(expression)) throw new ToolError('Invalid characters in expression');
  const value = new Expression(tokensOf(expression)).value();
  if (!Number.isFinite(value)) throw new ToolError('the result is no number');
  return value;
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined || /^0+[1-9]\d*$/.test(token)) throw invalid();
    tokens.push(token);
  }
  return tokens;
}

const invalid = () => new ToolError('invalid syntax (<string>, line 1)');

class Expression {
  #at = 0;
  #depth = 0;

  constructor(private readonly tokens: readonly string[]) {}

  value(): number {
    const value = this.#sum();
    if (this.#at < this.tokens.length) throw invalid();
    return value;
  }

  #taken(...wanted: string[]): string | null {
    const token = this.tokens[this.#at];
    if (token === undefined || !wanted.includes(token)) return null;
    this.#at++;
    return token;
  }

  #sum(): number {
    let value = this.#product();
    for (let sign = this.#taken('+', '-'); sign !== null; sign = this.#taken('+', '-'))
      value += sign === '+' ? this.#product() : -this.#product();
    return value;
  }

  #product(): number {
    let value = this.#signed();
    for (let sign = this.#taken('*', '/', '//'); sign !== null; sign = this.#taken('*', '/', '//')) {
      const other = this.#signed();
      if (sign !== '*' && other === 0) throw new ToolError('division by zero');
      if (sign === '*') value *= other;
      else value = sign === '/' ? value / other : Math.floor(value / other);
    }
    return value;
  }

  #signed(): number {
    if (++this.#depth > DEEPEST) throw invalid();
    const sign = this.#taken('+', '-');
    const value = sign === null ? this.#power() : this.#signed();
    this.#depth--;
    return sign === '-' ? -value : value;
  }

  /** Parses a power, which binds tighter than a sign before its base (-2**2 is -4), but not than one before its exponent. */
  #power(): number {
    const base = this.#atom();
    return this.#taken('**') === null ? base : base ** this.#signed();
  }

  #atom(): number {
    if (this.#taken('(') !== null) {
      const value = this.#sum();
      if (this.#taken(')') === null) throw invalid();
      return value;
    }
    const token = this.tokens[this.#at++];
    if (token === undefined || !/[\d]/.test(token)) throw invalid();
    return Number(token);
  }
}
