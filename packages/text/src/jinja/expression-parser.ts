// Parses the expressions of Jinja templates: arithmetic binds more tightly than comparison, `~` more tightly than `+`, and a
// filter applies after a sign.
import type { Arguments, Expression, FilterCall, Target } from './syntax.js';
import type { TokenStream } from './token-stream.js';

const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='];
const CONSTANTS: Record<string, null | boolean> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};

export class ExpressionParser {
  constructor(private readonly tokens: TokenStream) {}

  expression = (): Expression => this.tokens.within(() => this.#conditional());

  #conditional(): Expression {
    let value = this.#or();
    while (this.tokens.accept('name', 'if')) {
      const test = this.#or();
      const otherwise = this.tokens.accept('name', 'else') ? this.expression() : null;
      value = { type: 'condition', test, then: value, otherwise };
    }
    return value;
  }

  /** Several expressions separated by commas form a tuple. `end`: a keyword at which the expression ends. */
  tuple({ conditions = true, end }: { conditions?: boolean; end?: string } = {}): Expression {
    const items: Expression[] = [];
    let isTuple = false;
    for (;;) {
      if (this.#endsTuple(end)) break;
      items.push(conditions ? this.expression() : this.#or());
      if (!this.tokens.accept('operator', ',')) break;
      isTuple = true;
    }
    if (isTuple) return { type: 'tuple', items };
    return items[0] ?? this.tokens.fail('expected an expression');
  }

  #endsTuple(end: string | undefined): boolean {
    const isEnd = this.tokens.is('end-print') || this.tokens.is('end-block') || this.tokens.is('operator', ')', ']');
    return isEnd || (end !== undefined && this.tokens.is('name', end));
  }

  /** One name, or several separated by commas. `end`: a keyword that ends the target, such as `in` of a for loop. */
  target({ allowsNamespace = false, end }: { allowsNamespace?: boolean; end?: string } = {}): Target {
    const items: Target[] = [];
    let isTuple = false;
    for (;;) {
      const isEnd = this.tokens.is('end-block') || this.tokens.is('operator', '=', ')');
      if (isEnd || (end !== undefined && this.tokens.is('name', end))) break;
      items.push(this.#targetItem(allowsNamespace));
      if (!this.tokens.accept('operator', ',')) break;
      isTuple = true;
    }
    if (isTuple) return { type: 'tuple', items };
    return items[0] ?? this.tokens.fail('expected a name');
  }

  #targetItem(allowsNamespace: boolean): Target {
    if (this.tokens.accept('operator', '(')) {
      const inner = this.tokens.within(() => this.target());
      this.tokens.expect('operator', ')');
      return inner;
    }
    const { value: name } = this.tokens.expect('name');
    if (Object.hasOwn(CONSTANTS, name)) this.tokens.fail(`cannot assign to ${name}`);
    if (!allowsNamespace || !this.tokens.accept('operator', '.')) return { type: 'name', name };
    return { type: 'namespace', name, attribute: this.tokens.expect('name').value };
  }

  #or(): Expression {
    let left = this.#and();
    while (this.tokens.accept('name', 'or')) left = { type: 'or', left, right: this.#and() };
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.tokens.accept('name', 'and')) left = { type: 'and', left, right: this.#not() };
    return left;
  }

  #not(): Expression {
    if (!this.tokens.accept('name', 'not')) return this.#comparison();
    return { type: 'not', of: this.tokens.within(() => this.#not()) };
  }

  #comparison(): Expression {
    const first = this.#sum();
    const rest: { operator: string; operand: Expression }[] = [];
    for (;;) {
      const operator = this.#comparisonOperator();
      if (operator === undefined) break;
      rest.push({ operator, operand: this.#sum() });
    }
    return rest.length === 0 ? first : { type: 'comparison', first, rest };
  }

  #comparisonOperator(): string | undefined {
    const operator = this.tokens.accept('operator', ...COMPARISONS) ?? this.tokens.accept('name', 'in');
    if (operator) return operator.value;
    const { next } = this.tokens;
    if (!this.tokens.is('name', 'not') || next?.type !== 'name' || next.value !== 'in') return undefined;
    this.tokens.take();
    this.tokens.take();
    return 'not in';
  }

  #sum = (): Expression => this.#binary(['+', '-'], this.#concatenation);

  #concatenation = (): Expression => {
    const parts = [this.#product()];
    while (this.tokens.accept('operator', '~')) parts.push(this.#product());
    return parts.length === 1 ? parts[0] : { type: 'concatenation', parts };
  };

  #product = (): Expression => this.#binary(['*', '/', '//', '%'], this.#power);

  #power = (): Expression => this.#binary(['**'], () => this.#unary());

  #binary(operators: readonly string[], operand: () => Expression): Expression {
    let left = operand();
    for (;;) {
      const operator = this.tokens.accept('operator', ...operators);
      if (!operator) return left;
      left = { type: 'arithmetic', operator: operator.value, left, right: operand() };
    }
  }

  #unary(withFilters = true): Expression {
    const sign = this.tokens.accept('operator', '-', '+');
    const value: Expression = sign
      ? { type: sign.value === '-' ? 'negative' : 'positive', of: this.tokens.within(() => this.#unary(false)) }
      : this.primary();
    const whole = this.#postfix(value);
    return withFilters ? this.#filtered(whole) : whole;
  }

  primary(): Expression {
    const token = this.tokens.take();
    const { type, value } = token;
    if (type === 'name')
      return Object.hasOwn(CONSTANTS, value)
        ? { type: 'constant', value: CONSTANTS[value] }
        : { type: 'name', name: value };
    if (type === 'integer') return { type: 'constant', value: Number(value) };
    if (type === 'float') return { type: 'float', value: Number(value) };
    if (type === 'string') {
      let text = value;
      while (this.tokens.is('string')) text += this.tokens.take().value;
      return { type: 'constant', value: text };
    }
    if (type === 'operator' && value === '(') return this.#parenthesized();
    if (type === 'operator' && value === '[') return { type: 'list', items: this.#list(']', () => this.expression()) };
    if (type === 'operator' && value === '{') return { type: 'dict', entries: this.#list('}', () => this.#entry()) };
    return this.tokens.fail(`unexpected ${type === 'end' ? 'end' : JSON.stringify(value)} before an expression's end`);
  }

  #parenthesized(): Expression {
    if (this.tokens.accept('operator', ')')) return { type: 'tuple', items: [] };
    const inner = this.tokens.within(() => this.tuple());
    this.tokens.expect('operator', ')');
    return inner;
  }

  #entry(): { key: Expression; value: Expression } {
    const key = this.expression();
    this.tokens.expect('operator', ':');
    return { key, value: this.expression() };
  }

  #list<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    while (!this.tokens.accept('operator', close)) {
      if (items.length > 0) {
        this.tokens.expect('operator', ',');
        if (this.tokens.accept('operator', close)) break;
      }
      items.push(item());
    }
    return items;
  }

  #postfix(value: Expression): Expression {
    for (;;) {
      if (this.tokens.accept('operator', '.')) value = this.#member(value);
      else if (this.tokens.accept('operator', '[')) value = this.#subscript(value);
      else if (this.tokens.accept('operator', '(')) value = { type: 'call', callee: value, args: this.callArguments() };
      else return value;
    }
  }

  #member(of: Expression): Expression {
    const index = this.tokens.accept('integer');
    if (index) return { type: 'item', of, key: { type: 'constant', value: Number(index.value) } };
    return { type: 'attribute', of, name: this.tokens.expect('name').value };
  }

  #subscript(of: Expression): Expression {
    const start = this.tokens.is('operator', ':') ? null : this.tuple();
    if (!this.tokens.is('operator', ':')) {
      this.tokens.expect('operator', ']');
      return { type: 'item', of, key: start! };
    }
    const part = (): Expression | null => {
      if (!this.tokens.accept('operator', ':')) return null;
      return this.tokens.is('operator', ':', ']') ? null : this.expression();
    };
    const [stop, step] = [part(), part()];
    this.tokens.expect('operator', ']');
    return { type: 'slice', of, start, stop, step };
  }

  #filtered(value: Expression): Expression {
    for (;;) {
      if (this.tokens.accept('operator', '|')) value = { type: 'filter', of: value, ...this.#namedCall() };
      else if (this.tokens.accept('name', 'is')) value = this.#test(value);
      else if (this.tokens.accept('operator', '(')) value = { type: 'call', callee: value, args: this.callArguments() };
      else return value;
    }
  }

  filters(): FilterCall[] {
    const filters = [this.#namedCall()];
    while (this.tokens.accept('operator', '|')) filters.push(this.#namedCall());
    return filters;
  }

  #namedCall(): FilterCall {
    const { line } = this.tokens.current;
    const name = this.#dottedName();
    return { name, args: this.tokens.accept('operator', '(') ? this.callArguments() : noArguments(), line };
  }

  #dottedName(): string {
    let name = this.tokens.expect('name').value;
    while (this.tokens.accept('operator', '.')) name += `.${this.tokens.expect('name').value}`;
    return name;
  }

  #test(of: Expression): Expression {
    const { line } = this.tokens.current;
    const isNegated = this.tokens.accept('name', 'not') !== undefined;
    const name = this.#dottedName();
    const args = this.tokens.accept('operator', '(') ? this.callArguments() : noArguments();
    const takesBare =
      ['string', 'integer', 'float'].some((type) => this.tokens.is(type as 'string')) ||
      (this.tokens.is('name') && !this.tokens.is('name', 'else', 'or', 'and', 'is', 'if', 'in', 'not', 'recursive')) ||
      this.tokens.is('operator', '[', '{');
    if (takesBare) args.positional.push(this.#postfix(this.primary()));
    const test: Expression = { type: 'test', of, name, args, line };
    return isNegated ? { type: 'not', of: test } : test;
  }

  /** Parses arguments after the opening parenthesis. */
  callArguments(): Arguments {
    const args = noArguments();
    this.#list(')', () => {
      if (this.tokens.accept('operator', '*')) args.spread = this.expression();
      else if (this.tokens.accept('operator', '**')) args.namedSpread = this.expression();
      else if (this.tokens.is('name') && this.tokens.next?.type === 'operator' && this.tokens.next.value === '=') {
        const name = this.tokens.take().value;
        this.tokens.take();
        args.named.push({ name, value: this.expression() });
      } else args.positional.push(this.expression());
    });
    return args;
  }
}

const noArguments = (): Arguments => ({ positional: [], named: [], spread: null, namedSpread: null });
