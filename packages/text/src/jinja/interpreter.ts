// Runs a parsed template in steps, which end after each iteration of a loop that is not inside a macro or a captured text. A
// loop's body, a macro and `with` have their own scope; the branches of an `if` do not.
import { called, evaluate, filtered, withLine } from './expression-evaluator.js';
import { loopState } from './loop-state.js';
import { joinedBy, textOf } from './printing.js';
import { Scope } from './scope.js';
import type { For, Parameter, Statement, Target } from './syntax.js';
import { TemplateError } from './template-error.js';
import { Attributes, Callable, isTrue, iterate, lengthOf, Tuple, typeName, Undefined, type Value } from './values.js';
import { finished, type Steps } from '../steps.js';
import { checkLength, spend, spendText, withinCall } from './work.js';

interface GenerationSpan {
  /** The range of the rendered text that the `{% generation %}` block has written, in UTF-16 code units. */
  start: number;
  end: number;
  /** The current items of the loops around the block, innermost first, from which the block's message is found. */
  within: readonly Value[];
}

type Signal = 'break' | 'continue' | undefined;

type Containing = Extract<Statement, { type: 'if' | 'for' | 'with' }>;

const contains = (statement: Statement): statement is Containing => ['if', 'for', 'with'].includes(statement.type);

export class Interpreter {
  readonly spans: GenerationSpan[] = [];
  readonly #root: string[] = [];
  #rootLength = 0;
  /** The strings of the text that is being written: the template's own text, or that of a macro or a captured block. */
  #output = this.#root;
  #items: Value[] = [];

  *run(template: readonly Statement[], scope: Scope): Steps<string> {
    yield* this.#all(template, scope);
    return this.#root.join('');
  }

  #write(text: string): void {
    spendText(text);
    checkLength(this.#rootLength + text.length);
    this.#output.push(text);
    if (this.#output === this.#root) this.#rootLength += text.length;
  }

  #captured(body: readonly Statement[], scope: Scope): string {
    const before = this.#output;
    this.#output = [];
    try {
      finished(this.#all(body, scope));
      return joinedBy(this.#output, '');
    } finally {
      this.#output = before;
    }
  }

  *#all(statements: readonly Statement[], scope: Scope): Steps<Signal> {
    for (const statement of statements) {
      spend(1);
      if (statement.type === 'break' || statement.type === 'continue') return statement.type;
      if (statement.type === 'text') {
        this.#write(statement.text);
        continue;
      }
      try {
        const signal = contains(statement) ? yield* this.#containing(statement, scope) : this.#simple(statement, scope);
        if (signal !== undefined) return signal;
      } catch (error) {
        throw withLine(error, statement.line);
      }
    }
    return undefined;
  }

  /** Runs an `if`, `for` or `with`, whose body may contain a loop and so take several steps. */
  *#containing(statement: Containing, scope: Scope): Steps<Signal> {
    if (statement.type === 'for') return yield* this.#for(statement, scope);
    if (statement.type === 'with') return yield* this.#with(statement, scope);
    const branch = statement.branches.find(({ test }) => isTrue(evaluate(test, scope)));
    return yield* this.#all(branch?.body ?? statement.otherwise, scope);
  }

  #simple(
    statement: Exclude<Statement, Containing | { type: 'text' | 'break' | 'continue' }>,
    scope: Scope,
  ): undefined {
    if (statement.type === 'print') this.#write(textOf(evaluate(statement.value, scope)));
    else this.#block(statement, scope);
    return undefined;
  }

  /** Runs statements that define a name, or whose body is captured as a text. */
  #block(
    statement: Extract<
      Statement,
      { type: 'set' | 'set-block' | 'macro' | 'call-block' | 'filter-block' | 'generation' }
    >,
    scope: Scope,
  ): void {
    switch (statement.type) {
      case 'set':
        return assign(statement.target, evaluate(statement.value, scope), scope);
      case 'set-block': {
        const text = this.#captured(statement.body, scope.inner());
        const value = statement.filters.reduce<Value>((result, filter) => filtered(result, filter, scope), text);
        return assign(statement.target, value, scope);
      }
      case 'macro':
        return scope.set(statement.name, this.#macro(statement.name, statement.parameters, statement.body, scope));
      case 'call-block': {
        const { call, parameters, body } = statement;
        if (call.type !== 'call') throw new TemplateError('expected a call');
        const caller = new Map([['caller', this.#macro('caller', parameters, body, scope)]]);
        return this.#write(textOf(called(evaluate(call.callee, scope), call.args, scope, caller)));
      }
      case 'filter-block': {
        const text = this.#captured(statement.body, scope.inner());
        return this.#write(
          textOf(statement.filters.reduce<Value>((result, filter) => filtered(result, filter, scope), text)),
        );
      }
      case 'generation':
        return this.#generation(statement.body, scope);
    }
  }

  /**
   * Records the range of the block's text; inside a macro, whose text has no position yet, it begins at the end of the main text.
   */
  #generation(body: readonly Statement[], scope: Scope): void {
    const inner = scope.inner(); // Jinja treats the block as a macro without arguments
    inner.set('varargs', new Tuple([]));
    inner.set('kwargs', new Map());
    const text = this.#captured(body, inner);
    this.spans.push({
      start: this.#rootLength,
      end: this.#rootLength + text.length,
      within: [...this.#items].reverse(),
    });
    this.#write(text);
  }

  *#with({ assignments, body }: Extract<Statement, { type: 'with' }>, scope: Scope): Steps<Signal> {
    const inner = scope.inner();
    const values = assignments.map(({ value }) => evaluate(value, scope));
    assignments.forEach(({ target }, i) => assign(target, values[i], inner));
    return yield* this.#all(body, inner);
  }

  *#for(statement: For, scope: Scope): Steps<undefined> {
    const over = evaluate(statement.over, scope);
    if (statement.isRecursive) this.#write(this.#recursive(statement, over, scope, 0));
    else yield* this.#loop(statement, over, scope, 0, null);
    return undefined;
  }

  #recursive(statement: For, over: Value, scope: Scope, depth: number): string {
    const before = this.#output;
    this.#output = [];
    try {
      const recurse = (further: Value) => withinCall(() => this.#recursive(statement, further, scope, depth + 1));
      finished(this.#loop(statement, over, scope, depth, recurse));
      return joinedBy(this.#output, '');
    } finally {
      this.#output = before;
    }
  }

  *#loop(
    statement: For,
    over: Value,
    scope: Scope,
    depth: number,
    recurse: ((items: Value) => Value) | null,
  ): Steps<void> {
    const { target, test, body, otherwise } = statement;
    const items = iterate(over).filter((item) => {
      if (test === null) return true;
      const inner = scope.inner();
      assign(target, item, inner);
      return isTrue(evaluate(test, inner));
    });
    const { loop, advance } = loopState(items, depth, recurse);
    for (const [index, item] of items.entries()) {
      advance(index);
      const inner = scope.inner();
      inner.set('loop', loop);
      assign(target, item, inner);
      this.#items.push(item);
      const signal = yield* this.#all(body, inner);
      this.#items.pop();
      if (signal === 'break') break;
      yield;
    }
    if (items.length === 0) yield* this.#all(otherwise, scope.inner());
  }

  #macro(name: string, parameters: readonly Parameter[], body: readonly Statement[], scope: Scope): Callable {
    const names = parameters.map((parameter) => parameter.name);
    return new Callable(name, (args, named) => {
      const inner = scope.inner();
      const further = new Map([...named].filter(([key]) => !names.includes(key) && key !== 'caller'));
      parameters.forEach((parameter, i) => {
        const value = i < args.length ? args[i] : named.get(parameter.name);
        const otherwise = () =>
          parameter.default === null
            ? new Undefined(`the argument '${parameter.name}' was not given`)
            : evaluate(parameter.default, inner);
        inner.set(parameter.name, value === undefined ? otherwise() : value);
      });
      inner.set('caller', named.get('caller') ?? new Undefined(`'caller' is undefined`));
      inner.set('varargs', new Tuple(args.slice(names.length)));
      inner.set('kwargs', new Map<Value, Value>(further));
      return withinCall(() => this.#captured(body, inner));
    });
  }
}

function assign(target: Target, value: Value, scope: Scope): void {
  if (target.type === 'name') return scope.set(target.name, value);
  if (target.type === 'tuple') {
    const values = iterate(value);
    const { length } = target.items;
    if (values.length !== length)
      throw new TemplateError(`cannot unpack ${lengthOf(values as Value[])} values into ${length} names`);
    return target.items.forEach((each, i) => assign(each, values[i], scope));
  }
  const namespace = scope.get(target.name);
  if (!(namespace instanceof Attributes) || !namespace.isWritable)
    throw new TemplateError(
      `cannot assign to '${target.name}.${target.attribute}': it is ${typeName(namespace)}, not a namespace`,
    );
  namespace.values.set(target.attribute, value);
}
