import type { Token } from './lexer.js';
import { TemplateError } from './template-error.js';
import { TemplateLimitError } from './work.js';

/** The largest depth of nested brackets and statements, which is that of Python. */
const SOURCE_DEPTH = 200;

export class TokenStream {
  #at = 0;

  #depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get current(): Token {
    return this.tokens[this.#at];
  }

  get next(): Token | undefined {
    return this.tokens[this.#at + 1];
  }

  take(): Token {
    const token = this.current;
    if (token.type !== 'end') this.#at++;
    return token;
  }

  is(type: Token['type'], ...values: readonly string[]): boolean {
    return this.current.type === type && (values.length === 0 || values.includes(this.current.value));
  }

  /** Reads the next token if it has this type and value; otherwise returns undefined. */
  accept(type: Token['type'], ...values: readonly string[]): Token | undefined {
    return this.is(type, ...values) ? this.take() : undefined;
  }

  expect(type: Token['type'], ...values: readonly string[]): Token {
    return (
      this.accept(type, ...values) ?? this.fail(`expected ${values.length > 0 ? `'${values.join("' or '")}'` : type}`)
    );
  }

  /** Reads something that may be nested, an expression or the body of a statement, and checks the depth. */
  within<Part>(read: () => Part): Part {
    if (++this.#depth > SOURCE_DEPTH)
      throw new TemplateLimitError(
        `expressions and statements are within each other more than ${SOURCE_DEPTH} deep`,
        this.current.line,
      );
    const part = read();
    this.#depth--;
    return part;
  }

  fail(problem: string): never {
    const { type, value, line } = this.current;
    throw new TemplateError(
      `${problem}, not ${type === 'end' ? 'the end' : value === '' ? type : JSON.stringify(value)}`,
      line,
    );
  }
}
