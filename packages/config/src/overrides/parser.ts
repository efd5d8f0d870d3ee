// Parses an override by recursive descent.
//
//     override: key=value? | +key=value? | ++key=value? | ~key(=value?)?
//     key:      (package | group/path)(@package)?
//     value:    element | element,element,…
//     element:  primitive | "quoted" | [e, …] | {k: e, …} | name(args)
//
// Source: the grammar in Hydra's documentation ("The override grammar"), Hydra 1.3.
import { ConfigError } from '../config-error.js';
import { Float, keyId, type Key } from '../node.js';
import { toInteger } from '../python-text.js';
import { callFunction, type Argument } from './functions.js';
import { lexKey, lexValue, type KeyTokenType, type Token, type ValueTokenType } from './lexer.js';
import { OverrideSyntaxError } from './syntax-error.js';
import {
  ChoiceSweep,
  DictValue,
  ListExtension,
  QuotedString,
  isSweep,
  type Element,
  type Override,
  type OverrideKind,
  type OverrideValue,
  type Primitive,
} from './value.js';

/** The largest depth of nested brackets; more are a mistake, and would exhaust the stack. */
const maximumDepth = 200;

/** Throws ConfigError of kind 'override-syntax', which quotes the override and marks the place of the mistake. */
export function parseOverride(text: string): Override {
  try {
    const { tokens, next } = lexKey(text);
    const head = parseHead(tokens, text);
    if (!head.hasValue) return { ...head.target, value: undefined, text };
    const value = next === text.length ? '' : new ValueParser(lexValue(text, next), text.length).whole();
    if (value instanceof ListExtension && head.target.kind !== 'set') {
      throw new OverrideSyntaxError(
        `extend_list takes neither '+' nor '++' nor '~'`,
        0,
        `write '${text.replace(/^[+~]+/, '')}'`,
      );
    }
    return { ...head.target, value, text };
  } catch (error) {
    if (!(error instanceof OverrideSyntaxError)) throw error;
    throw syntaxError(text, error);
  }
}

/** Parses the value of an override alone, such as one in `hydra.sweeper.params` of a config. */
export function parseValue(text: string): OverrideValue {
  return text === '' ? '' : new ValueParser(lexValue(text), text.length).whole();
}

function syntaxError(text: string, { message, index, remedy }: OverrideSyntaxError): ConfigError {
  const line = text.slice(0, index).lastIndexOf('\n') + 1;
  const shown = text.split('\n')[text.slice(0, index).split('\n').length - 1] ?? '';
  const mark = `${' '.repeat(Array.from(text.slice(line, index)).length)}^`;
  const details = ['in the command line:', `  ${shown.length > 200 ? `${shown.slice(0, 200)}…` : shown}`];
  if (index - line <= 200) details.push(`  ${mark}`);
  if (remedy) details.push(remedy);
  const quoted = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return new ConfigError('override-syntax', `Cannot read override '${quoted}': ${message}`, details, {
    file: 'command line',
    column: index + 1,
  });
}

interface Head {
  readonly target: { kind: OverrideKind; key: string; package?: string };
  readonly hasValue: boolean;
}

function parseHead(tokens: readonly Token<KeyTokenType>[], text: string): Head {
  let position = 0;
  const at = (...types: KeyTokenType[]) => types.includes(tokens[position]?.type as KeyTokenType);
  const fail = (message: string, remedy?: string): never => {
    throw new OverrideSyntaxError(message, tokens[position]?.index ?? text.length, remedy);
  };
  let kind: OverrideKind = 'set';
  if (at('~')) {
    kind = 'delete';
    position++;
  } else if (at('+')) {
    kind = 'add';
    position++;
    if (at('+')) {
      kind = 'force-add';
      position++;
    }
  }
  const name = () => (at('special', 'path') ? tokens[position++]!.text : '');
  let key = '';
  const isGroupStart = at('special') && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(tokens[position]!.text);
  key = name();
  while (isGroupStart && at('/')) {
    position++;
    if (!at('special') || tokens[position]!.text.includes('$')) fail(`a group name must follow '/'`);
    key += `/${name()}`;
  }
  let target: string | undefined;
  if (at('@')) {
    position++;
    target = name();
  }
  const hasValue = at('equal');
  if (!hasValue && position < tokens.length)
    fail(`'${tokens[position]!.text}' is not allowed here`, at(':') ? `an override is written 'key=value'` : undefined);
  if (!hasValue && kind !== 'delete')
    fail(text === '' ? 'it is empty' : `'=' is missing`, `write '${text === '' ? 'key' : text}=value'`);
  return { target: target === undefined ? { kind, key } : { kind, key, package: target }, hasValue };
}

const primitiveTypes: readonly ValueTokenType[] = [
  'id',
  'null',
  'int',
  'float',
  'bool',
  'interpolation',
  'char',
  ':',
  'escape',
  'blank',
];
const keyTypes: readonly ValueTokenType[] = ['id', 'null', 'int', 'float', 'bool', 'char', 'escape', 'blank'];

class ValueParser {
  private position = 0;
  private depth = 0;

  constructor(
    private readonly tokens: readonly Token<ValueTokenType>[],
    private readonly end: number,
  ) {}

  whole(): OverrideValue {
    const first = this.element();
    let value = first;
    if (this.at(',')) {
      const items = [this.single(first)];
      while (this.take(',')) items.push(this.single(this.element()));
      value = new ChoiceSweep(items, true);
    }
    if (this.position < this.tokens.length)
      this.fail(`'${this.tokens[this.position]!.text.trim()}' cannot follow here`, this.followRemedy());
    return value;
  }

  private followRemedy(): string {
    const { type } = this.tokens[this.position]!;
    if (type === 'equal') return `put a value that contains '=' in quotes`;
    return 'quote the whole value, or escape the sign with a backslash';
  }

  private at(type: ValueTokenType): boolean {
    return this.tokens[this.position]?.type === type;
  }

  private take(type: ValueTokenType): boolean {
    if (!this.at(type)) return false;
    this.position++;
    return true;
  }

  private fail(message: string, remedy?: string): never {
    throw new OverrideSyntaxError(message, this.tokens[this.position]?.index ?? this.end, remedy);
  }

  private element(): OverrideValue {
    const token = this.tokens[this.position];
    if (!token) this.fail('a value is missing at the end', 'give a value, or drop the comma or bracket before it');
    if (++this.depth > maximumDepth) this.fail(`more than ${maximumDepth} brackets nest`);
    const value = this.elementOf(token);
    this.depth--;
    return value;
  }

  private elementOf(token: Token<ValueTokenType>): OverrideValue {
    if (this.take('quoted')) return unquote(token.text);
    if (this.take('[')) return this.list();
    if (this.take('{')) return this.dict();
    if (token.type === 'id' && this.tokens[this.position + 1]?.type === '(') return this.call(token);
    if (primitiveTypes.includes(token.type)) return this.primitive(primitiveTypes);
    this.fail(`'${token.text.trim()}' cannot begin a value`, 'give a value before it, or put it in quotes');
  }

  private single(value: OverrideValue): Element {
    if (isSweep(value) || value instanceof ListExtension)
      this.fail(
        'a sweep is not allowed inside another value',
        'use choice(…), range(…) and the like for a whole value',
      );
    return value;
  }

  private list(): Element[] {
    const items: Element[] = [];
    if (this.take(']')) return items;
    do items.push(this.single(this.element()));
    while (this.take(','));
    if (!this.take(']')) this.fail(`a list is not closed`, `add ']'`);
    return items;
  }

  private dict(): DictValue {
    const dict = new DictValue();
    if (this.take('}')) return dict;
    const places = new Map<string, number>();
    do {
      if (!keyTypes.includes(this.tokens[this.position]?.type as ValueTokenType))
        this.fail('a dict key must be an unquoted word', 'write {key: value}');
      const key = this.primitive(keyTypes) as Key | null;
      if (!this.take(':')) this.fail(`':' is missing after the key`, 'write {key: value}');
      const value = this.single(this.element());
      const id = key === null ? '\0null' : keyId(key);
      const place = places.get(id);
      if (place !== undefined) dict.pairs[place]!.value = value;
      else {
        places.set(id, dict.pairs.length);
        dict.pairs.push({ key, value });
      }
    } while (this.take(','));
    if (!this.take('}')) this.fail(`a dict is not closed`, `add '}'`);
    return dict;
  }

  private call(name: Token<ValueTokenType>): OverrideValue {
    this.position += 2;
    const args: Argument[] = [];
    if (!this.take(')')) {
      do args.push(this.argument(args));
      while (this.take(','));
      if (!this.take(')')) this.fail(`${name.text}( is not closed`, `add ')'`);
    }
    return callFunction(name.text, args, name.index);
  }

  private argument(earlier: readonly Argument[]): Argument {
    const token = this.tokens[this.position];
    if (token?.type === 'id' && this.tokens[this.position + 1]?.type === 'equal') {
      this.position += 2;
      return { name: token.text, value: this.element() };
    }
    if (earlier.at(-1)?.name !== undefined)
      this.fail('a positional argument follows a named one', 'put named arguments last');
    return { value: this.element() };
  }

  /** A single token is converted to its type, several are joined to a string, without whitespace around them. */
  private primitive(types: readonly ValueTokenType[]): Primitive {
    const run: Token<ValueTokenType>[] = [];
    while (this.position < this.tokens.length && types.includes(this.tokens[this.position]!.type))
      run.push(this.tokens[this.position++]!);
    if (run[0]?.type === 'blank') run.shift();
    if (run.at(-1)?.type === 'blank') run.pop();
    if (run.length === 0) this.fail('nothing but spaces', 'put spaces in quotes');
    if (run.length === 1) return convert(run[0]!);
    return run.map(({ type, text }) => (type === 'escape' ? unescape(text) : text)).join('');
  }
}

const unescape = (text: string) => text.replace(/\\([^])/g, '$1');

function convert({ type, text }: Token<ValueTokenType>): Primitive {
  if (type === 'int') return toInteger(text.replaceAll('_', ''));
  if (type === 'float') return toFloat(text);
  if (type === 'bool') return text.toLowerCase() === 'true';
  if (type === 'null') return null;
  return type === 'escape' ? unescape(text) : text;
}

/** Converts a float in the syntax of overrides: `1e3`, `.5`, `-inf`, `NaN`, `1_0.5`. */
export function toFloat(text: string): Float {
  const lower = text.replaceAll('_', '').toLowerCase();
  if (lower.endsWith('inf')) return new Float(lower.startsWith('-') ? -Infinity : Infinity);
  return new Float(lower.endsWith('nan') ? NaN : Number(lower));
}

// Backslashes are special only before the quote: pairs are halved, an odd one escapes the quote.
function unquote(text: string): QuotedString {
  const quote = text[0] as "'" | '"';
  const inner = text.slice(1);
  const unescaped = inner.replace(quote === "'" ? /(\\+)'/g : /(\\+)"/g, (_, slashes: string) => {
    return '\\'.repeat(Math.floor(slashes.length / 2)) + quote;
  });
  return new QuotedString(unescaped.slice(0, -1), quote);
}
