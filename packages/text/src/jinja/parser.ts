// Parses the statements of a Jinja template. `extends`, `include`, `import` and `block` are not supported, since they need other
// files.
import { ExpressionParser } from './expression-parser.js';
import { tokenize } from './lexer.js';
import type { Expression, For, Parameter, Statement, Target } from './syntax.js';
import { TokenStream } from './token-stream.js';

/** Parses a template. @throws {TemplateError} with the line */
export function parse(template: string): Statement[] {
  const tokens = new TokenStream(tokenize(template));
  return new Parser(tokens, new ExpressionParser(tokens)).template();
}

class Parser {
  #loops = 0;

  constructor(
    private readonly tokens: TokenStream,
    private readonly expressions: ExpressionParser,
  ) {}

  template(): Statement[] {
    const body = this.#body();
    return this.tokens.is('end') ? body : this.tokens.fail('expected a statement');
  }

  /** Up to a tag with one of these names, such as `else` or `endif`, which is left as the next token. */
  #body(...ends: readonly string[]): Statement[] {
    return this.tokens.within(() => this.#statements(ends));
  }

  #statements(ends: readonly string[]): Statement[] {
    const body: Statement[] = [];
    for (;;) {
      const { type, value, line } = this.tokens.current;
      if (type === 'end') {
        if (ends.length > 0) this.tokens.fail(`expected {% ${ends.join(' %} or {% ')} %}`);
        return body;
      }
      this.tokens.take();
      if (type === 'text') body.push({ type: 'text', text: value });
      else if (type === 'begin-print') {
        body.push({ type: 'print', value: this.expressions.tuple(), line });
        this.tokens.expect('end-print');
      } else {
        if (this.tokens.is('name', ...ends) && ends.length > 0) return body;
        body.push(this.#statement(line));
      }
    }
  }

  #enclosed(end: string): Statement[] {
    this.tokens.expect('end-block');
    const body = this.#body(end);
    this.#close();
    return body;
  }

  /** Reads the name of an end tag, which is the next token, and the end of the tag. */
  #close(): void {
    this.tokens.take();
    this.tokens.expect('end-block');
  }

  #statement(line: number): Statement {
    const { value: tag } = this.tokens.expect('name');
    switch (tag) {
      case 'if':
        return this.#if(line);
      case 'for':
        return this.#for(line);
      case 'set':
        return this.#set(line);
      case 'macro':
        return this.#macro(line);
      case 'call':
        return this.#callBlock(line);
      case 'with':
        return this.#with(line);
      case 'filter':
        return { type: 'filter-block', filters: this.expressions.filters(), body: this.#enclosed('endfilter'), line };
      case 'generation':
        return { type: 'generation', body: this.#outsideLoops(() => this.#enclosed('endgeneration')), line };
      case 'break':
      case 'continue':
        if (this.#loops === 0) this.tokens.fail(`${tag} outside a loop`);
        this.tokens.expect('end-block');
        return { type: tag };
      default:
        return this.tokens.fail(`{% ${tag} %} is not supported`);
    }
  }

  #if(line: number): Statement {
    const branches: { test: Expression; body: Statement[] }[] = [];
    let otherwise: Statement[] = [];
    let tag = 'if';
    while (tag !== 'endif') {
      if (tag === 'else') {
        this.tokens.expect('end-block');
        otherwise = this.#body('endif');
      } else {
        const test = this.expressions.tuple({ conditions: false });
        this.tokens.expect('end-block');
        branches.push({ test, body: this.#body('elif', 'else', 'endif') });
      }
      tag = this.tokens.take().value;
    }
    this.tokens.expect('end-block');
    return { type: 'if', branches, otherwise, line };
  }

  #for(line: number): For {
    const target = this.expressions.target({ end: 'in' });
    this.tokens.expect('name', 'in');
    const over = this.expressions.tuple({ conditions: false, end: 'recursive' });
    const test = this.tokens.accept('name', 'if') ? this.expressions.expression() : null;
    const isRecursive = this.tokens.accept('name', 'recursive') !== undefined;
    this.tokens.expect('end-block');
    this.#loops++;
    const body = this.#body('endfor', 'else');
    this.#loops--;
    const isElse = this.tokens.take().value === 'else';
    this.tokens.expect('end-block');
    const otherwise = isElse ? this.#body('endfor') : [];
    if (isElse) this.#close();
    return { type: 'for', target, over, test, isRecursive, body, otherwise, line };
  }

  #set(line: number): Statement {
    const target = this.expressions.target({ allowsNamespace: true });
    if (this.tokens.accept('operator', '=')) {
      const value = this.expressions.tuple();
      this.tokens.expect('end-block');
      return { type: 'set', target, value, line };
    }
    const filters = this.tokens.accept('operator', '|') ? this.expressions.filters() : [];
    return { type: 'set-block', target, filters, body: this.#outsideLoops(() => this.#enclosed('endset')), line };
  }

  #macro(line: number): Statement {
    const { value: name } = this.tokens.expect('name');
    this.tokens.expect('operator', '(');
    const parameters = this.#parameters();
    return { type: 'macro', name, parameters, body: this.#outsideLoops(() => this.#enclosed('endmacro')), line };
  }

  #callBlock(line: number): Statement {
    const parameters = this.tokens.accept('operator', '(') ? this.#parameters() : [];
    const call = this.expressions.expression();
    if (call.type !== 'call') this.tokens.fail('expected a call');
    return { type: 'call-block', parameters, call, body: this.#outsideLoops(() => this.#enclosed('endcall')), line };
  }

  #with(line: number): Statement {
    const assignments: { target: Target; value: Expression }[] = [];
    while (!this.tokens.is('end-block')) {
      if (assignments.length > 0) this.tokens.expect('operator', ',');
      const target = this.expressions.target();
      this.tokens.expect('operator', '=');
      assignments.push({ target, value: this.expressions.expression() });
    }
    return { type: 'with', assignments, body: this.#enclosed('endwith'), line };
  }

  /** Parses the parameters of a macro after the opening parenthesis. */
  #parameters(): Parameter[] {
    const parameters: Parameter[] = [];
    while (!this.tokens.accept('operator', ')')) {
      if (parameters.length > 0) this.tokens.expect('operator', ',');
      const { value: name } = this.tokens.expect('name');
      const hasDefault = this.tokens.accept('operator', '=') !== undefined;
      if (!hasDefault && parameters.at(-1)?.default)
        this.tokens.fail('a parameter without a default follows one with a default');
      parameters.push({ name, default: hasDefault ? this.expressions.expression() : null });
    }
    return parameters;
  }

  /** `break` inside a macro or a captured block does not refer to loops around it. */
  #outsideLoops<T>(read: () => T): T {
    const loops = this.#loops;
    this.#loops = 0;
    const result = read();
    this.#loops = loops;
    return result;
  }
}
