// Parses strings with `${node.path}` and `${resolver:arguments}`.
//
//     text:     characters and interpolations; \${ is a literal ${, pairs of backslashes before ${ are halved
//     node:     ${ '.'* key ('.' key | '[' key ']')* }        key: a word, or an interpolation
//     resolver: ${ name ('.' name)* ':' element, element, … }
//     element:  words and interpolations joined, "quoted text", [lists], {dicts}
//
// Source: OmegaConf's documentation ("The OmegaConf grammar"), version 2.3.
import { Float, type Scalar } from '../node.js';
import { toInteger } from '../python-text.js';

export interface NodeReference {
  readonly kind: 'node';
  /** The number of leading dots: 0 means from the root, 1 from the container of the value, and so on. */
  readonly levels: number;
  readonly keys: readonly (string | Interpolation)[];
  readonly text: string;
}

export interface ResolverCall {
  readonly kind: 'resolver';
  readonly name: readonly (string | Interpolation)[];
  readonly args: readonly ElementSyntax[];
  readonly text: string;
}

export type Interpolation = NodeReference | ResolverCall;
export type TextSyntax = readonly (string | Interpolation)[];

export type ElementSyntax =
  | { readonly kind: 'scalar'; readonly value: Scalar }
  | { readonly kind: 'joined'; readonly parts: TextSyntax }
  | { readonly kind: 'quoted'; readonly parts: TextSyntax }
  | { readonly kind: 'list'; readonly items: readonly ElementSyntax[] }
  | { readonly kind: 'dict'; readonly pairs: readonly { key: Exclude<Scalar, undefined>; value: ElementSyntax }[] };

export class InterpolationSyntaxError extends Error {
  override readonly name = 'InterpolationSyntaxError';
  /** Makes an error with the text and the place of the mistake. `index`: in the text, at which parsing failed. */
  constructor(
    message: string,
    readonly text: string,
    readonly index: number,
  ) {
    super(message);
  }
}

const maximumDepth = 100;
const cache = new Map<string, TextSyntax>();

/** Results are cached, since the same `${…}` is read many times. @throws {InterpolationSyntaxError} */
export function parseText(text: string): TextSyntax {
  const known = cache.get(text);
  if (known) return known;
  const parts = new Parser(text).text('');
  if (cache.size > 5000) cache.clear();
  cache.set(text, parts);
  return parts;
}

/** Parses a single element, as `oc.decode` does. @throws {InterpolationSyntaxError} */
export function parseElement(text: string): ElementSyntax {
  const element = new Parser(text).single();
  const [before] = /^[ \t]*/.exec(text)!;
  const [after] = /[ \t]*$/.exec(text)!;
  if (before.length + after.length === 0 || (element.kind !== 'scalar' && element.kind !== 'joined')) return element;
  // An element with white space around it is a string, to which the white space belongs: ' 12 ' is not the number 12.
  const word = text.slice(before.length, text.length - after.length);
  const spelled = (value: Scalar): string => (typeof value === 'string' ? value : word);
  const parts = element.kind === 'joined' ? element.parts : [spelled(element.value)];
  return { kind: 'joined', parts: [before, ...parts, after] };
}

const int = '(?:0|[1-9](?:_?[0-9])*)';
const digits = '[0-9](?:_?[0-9])*';
const point = `(?:${int}?\\.${digits}|${int}\\.)`;

/** The longest match counts, and the earlier pattern if several match the same length. */
const words: ['float' | 'int' | 'bool' | 'null' | 'escape' | 'char' | 'id' | 'colon' | 'blank', RegExp][] = [
  ['colon', /[ \t]*:[ \t]*/y],
  ['float', new RegExp(`[-+]?(?:(?:${point}|${int})[eE][-+]?${digits}|${point}|[iI][nN][fF]|[nN][aA][nN])`, 'y')],
  ['int', new RegExp(`[-+]?${int}`, 'y')],
  ['bool', /[tT][rR][uU][eE]|[fF][aA][lL][sS][eE]/y],
  ['null', /[nN][uU][lL][lL]/y],
  ['escape', /(?:\\[\\()[\]{}:=, \t])+/y],
  ['char', /[/\-\\+.$%*@?|]/y],
  ['id', /[A-Za-z_][A-Za-z0-9_-]*/y],
  ['blank', /[ \t]+/y],
];

interface Word {
  readonly type: (typeof words)[number][0];
  readonly text: string;
}

class Parser {
  private index = 0;
  private depth = 0;

  constructor(private readonly source: string) {}

  private fail(message: string): never {
    throw new InterpolationSyntaxError(message, this.source, this.index);
  }

  private at(text: string): boolean {
    return this.source.startsWith(text, this.index);
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.index;
    return pattern.exec(this.source)?.[0];
  }

  private skip(pattern: RegExp): boolean {
    const found = this.match(pattern);
    if (found === undefined) return false;
    this.index += found.length;
    return true;
  }

  single(): ElementSyntax {
    const element = this.element();
    if (this.index < this.source.length) this.fail(`'${this.source[this.index]}' cannot follow here`);
    return element;
  }

  /** Parses text to its end, or to the closing quote, which is consumed. */
  text(quote: string): TextSyntax {
    const parts: (string | Interpolation)[] = [];
    let literal = '';
    const special = quote === '' ? /\\+|\$/g : quote === "'" ? /\\+|\$|'/g : /\\+|\$|"/g;
    for (;;) {
      special.lastIndex = this.index;
      const stop = special.exec(this.source);
      literal += this.source.slice(this.index, stop?.index ?? this.source.length);
      if (!stop) {
        if (quote !== '') this.fail(`a quote is not closed`);
        this.index = this.source.length;
        break;
      }
      this.index = stop.index + stop[0].length;
      if (stop[0] === quote) break;
      if (stop[0].startsWith('\\')) literal += this.backslashes(stop[0].length, quote);
      else if (this.source[this.index] !== '{') literal += '$';
      else {
        if (literal !== '') parts.push(literal);
        literal = '';
        this.index--;
        parts.push(this.interpolation());
      }
    }
    if (literal !== '') parts.push(literal);
    return parts;
  }

  // Reads backslashes: they escape only '${' and, in a quoted text, the quote.
  private backslashes(count: number, quote: string): string {
    const guarded = this.at('${') ? '${' : quote !== '' && this.at(quote) ? quote : undefined;
    if (guarded === undefined) return '\\'.repeat(count);
    if (count % 2 === 0) return '\\'.repeat(count / 2);
    this.index += guarded.length;
    return '\\'.repeat((count - 1) / 2) + guarded;
  }

  private interpolation(): Interpolation {
    if (++this.depth > maximumDepth) this.fail(`more than ${maximumDepth} interpolations nest`);
    const start = this.index;
    this.index += 2;
    this.skip(/[ \t]+/y);
    const levels = (this.match(/\.+/y) ?? '').length;
    this.index += levels;
    const keys: (string | Interpolation)[] = [];
    let onlyNames = levels === 0;
    for (let first = true; ; first = false) {
      const bracket = this.at('[');
      if (bracket || (!first && this.at('.'))) this.index++;
      else if (!first) break;
      if (bracket) onlyNames = false;
      const key = this.key();
      if (typeof key === 'string' && !/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) onlyNames = false;
      keys.push(key);
      if (bracket && !this.skip(/\]/y)) this.fail(`']' is missing`);
    }
    const end = () => this.source.slice(start, this.index);
    this.depth--;
    if (onlyNames && this.skip(/[ \t]*:[ \t]*/y)) {
      const args = this.args();
      return { kind: 'resolver', name: keys, args, text: end() };
    }
    if (!this.skip(/[ \t]*\}/y))
      this.fail(
        this.index < this.source.length
          ? `'${this.source[this.index]}' is not allowed in an interpolation`
          : `'}' is missing`,
      );
    return { kind: 'node', levels, keys, text: end() };
  }

  private key(): string | Interpolation {
    if (this.at('${')) return this.interpolation();
    const key = this.match(/[^\\{}()[\]:. \t'"]+/y);
    if (key === undefined)
      this.fail(
        this.index < this.source.length ? `a key is missing before '${this.source[this.index]}'` : 'a key is missing',
      );
    this.index += key.length;
    return key;
  }

  // Parses arguments up to '}'. Omitted elements are empty strings.
  private args(): ElementSyntax[] {
    if (this.skip(/[ \t]*\}/y)) return [];
    const args = this.sequence(/[ \t]*\}/y);
    if (!this.skip(/[ \t]*\}/y)) this.fail(`'}' is missing`);
    return args;
  }

  private sequence(end: RegExp): ElementSyntax[] {
    const items: ElementSyntax[] = [];
    const empty: ElementSyntax = { kind: 'scalar', value: '' };
    for (;;) {
      const missing = this.match(/[ \t]*,/y) !== undefined || this.match(end) !== undefined;
      items.push(missing ? empty : this.element());
      if (!this.skip(/[ \t]*,[ \t]*/y)) return items;
    }
  }

  private element(): ElementSyntax {
    if (++this.depth > maximumDepth) this.fail(`more than ${maximumDepth} brackets nest`);
    const element = this.elementHere();
    this.depth--;
    return element;
  }

  private elementHere(): ElementSyntax {
    const char = this.source[this.index];
    if (char === "'" || char === '"') {
      this.index++;
      return { kind: 'quoted', parts: this.text(char) };
    }
    if (this.skip(/\[[ \t]*/y)) {
      if (this.skip(/[ \t]*\]/y)) return { kind: 'list', items: [] };
      const items = this.sequence(/[ \t]*\]/y);
      if (!this.skip(/[ \t]*\]/y)) this.fail(`']' is missing`);
      return { kind: 'list', items };
    }
    if (this.skip(/\{[ \t]*/y)) return this.dict();
    return this.primitive();
  }

  private dict(): ElementSyntax {
    const pairs: { key: Scalar; value: ElementSyntax }[] = [];
    if (this.skip(/[ \t]*\}/y)) return { kind: 'dict', pairs };
    do {
      const run: Word[] = [];
      for (let word = this.word(false); word; word = this.word(false)) run.push(word);
      const key = joinWords(run);
      if (key === undefined) this.fail('a key is missing');
      if (!this.skip(/[ \t]*:[ \t]*/y)) this.fail(`':' is missing after the key`);
      pairs.push({ key, value: this.element() });
    } while (this.skip(/[ \t]*,[ \t]*/y));
    if (!this.skip(/[ \t]*\}/y)) this.fail(`'}' is missing`);
    return { kind: 'dict', pairs };
  }

  private word(withColon: boolean): Word | undefined {
    if (this.match(/[ \t]+[,}\]]/y) !== undefined) return undefined; // whitespace before a bracket or comma belongs to it
    let best: Word | undefined;
    for (const [type, pattern] of words) {
      if (type === 'colon' && !withColon) continue;
      const text = this.match(pattern);
      if (text !== undefined && text.length > (best?.text.length ?? 0)) best = { type, text };
    }
    if (!withColon && best?.type === 'blank' && this.match(/[ \t]+:/y) !== undefined) return undefined;
    if (best) this.index += best.text.length;
    return best;
  }

  private primitive(): ElementSyntax {
    const parts: (Word | Interpolation)[] = [];
    for (;;) {
      if (this.at('${')) parts.push(this.interpolation());
      else {
        const word = this.word(true);
        if (!word) break;
        parts.push(word);
      }
    }
    const isBlank = (part: Word | Interpolation | undefined) =>
      part !== undefined && 'type' in part && part.type === 'blank';
    if (isBlank(parts[0]) && parts.length > 1) parts.shift();
    if (isBlank(parts.at(-1))) parts.pop();
    if (parts.length === 0)
      this.fail(
        this.index < this.source.length
          ? `'${this.source[this.index]}' is not allowed here outside quotes`
          : 'a value is missing',
      );
    if (parts.every((part): part is Word => 'type' in part)) return { kind: 'scalar', value: joinWords(parts)! };
    return { kind: 'joined', parts: parts.map((part) => ('type' in part ? wordText(part) : part)) };
  }
}

const wordText = ({ type, text }: Word) => (type === 'escape' ? text.replace(/\\([^])/g, '$1') : text);

/** Joins the tokens of an element: a single one is converted to its type, several are joined to a text. */
function joinWords(run: readonly Word[]): Scalar | undefined {
  const trimmed = run.filter((word, index) => word.type !== 'blank' || (index > 0 && index < run.length - 1));
  if (trimmed.length === 0) return undefined;
  if (trimmed.length > 1) return trimmed.map(wordText).join('');
  const [{ type, text }] = trimmed as [Word];
  if (type === 'int') return toInteger(text.replaceAll('_', ''));
  if (type === 'bool') return text.toLowerCase() === 'true';
  if (type === 'null') return null;
  if (type !== 'float') return wordText({ type, text });
  const lower = text.replaceAll('_', '').toLowerCase();
  if (lower.endsWith('inf')) return new Float(lower.startsWith('-') ? -Infinity : Infinity);
  return new Float(lower.endsWith('nan') ? NaN : Number(lower));
}
