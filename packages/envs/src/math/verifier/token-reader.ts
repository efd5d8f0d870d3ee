// Reads tokens one after another, and limits the nesting depth, so that hostile answers cannot exhaust the stack.
import { NoValueError } from '../fraction.js';
import type { Token } from './lexer.js';

class NoExpressionError extends NoValueError {}

/** The largest nesting depth of brackets, fractions and arguments. */
const MAX_DEPTH = 60;

export class TokenReader {
  protected readonly tokens: Token[];
  protected position = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = [...tokens];
  }

  protected fail(): never {
    throw new NoExpressionError('no expression');
  }

  protected get next(): Token | undefined {
    return this.tokens[this.position];
  }

  protected is(...texts: string[]): boolean {
    const next = this.next;
    return next?.kind === 'symbol' && texts.includes(next.text);
  }

  protected isCommand(...texts: string[]): boolean {
    const next = this.next;
    return next?.kind === 'command' && texts.includes(next.text);
  }

  protected accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.position++;
    return true;
  }

  protected expect(text: string): void {
    if (!this.accept(text)) this.fail();
  }

  protected take(): Token {
    return this.tokens[this.position++] ?? this.fail();
  }

  protected deeper<Result>(parse: () => Result): Result {
    if (++this.#depth > MAX_DEPTH) this.fail();
    const result = parse();
    this.#depth--;
    return result;
  }

  /** Returns one character of the next token, and keeps the rest, since a LaTeX argument without braces is one character. */
  protected character(): string {
    const token = this.take();
    if (token.text.length > 1) this.tokens[--this.position] = { ...token, text: token.text.slice(1), isSpaced: false };
    return token.text[0];
  }
}
