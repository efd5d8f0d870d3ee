// Implements the methods of Python's str for Jinja templates. Positions and lengths count code points.
import { repeatedText } from './arithmetic.js';
import { CallArguments } from './call-arguments.js';
import { formatBraces } from './formatting.js';
import { joinedBy } from './printing.js';
import { TemplateError } from './template-error.js';
import { integerOf, iterate, stringOf, Tuple, type Value } from './values.js';
import { isSpace, strip, words } from './whitespace.js';
import { spendItems, spendLength, spendText } from './work.js';

export function codePoints(text: string): number {
  spendText(text);
  let count = 0;
  for (const _ of text) count++;
  return count;
}

type Method = { names: readonly string[]; call: (text: string, args: CallArguments) => Value };

const method = (names: string, call: Method['call']): Method => ({ names: names === '' ? [] : names.split(' '), call });

/** Makes a method that returns whether all characters of a text match a pattern, such as `isdigit`; false for an empty text. */
const all = (pattern: RegExp) =>
  method('', (text) => text !== '' && Array.from(text).every((char) => pattern.test(char)));

const cased = (text: string) => /[\p{Ll}\p{Lu}\p{Lt}]/u.test(text);

const methods: Record<string, Method> = {
  upper: method('', (text) => text.toUpperCase()),
  lower: method('', (text) => text.toLowerCase()),
  casefold: method('', (text) => text.toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ')),
  capitalize: method('', (text) => capitalized(text)),
  title: method('', (text) => text.replace(/\p{L}+/gu, capitalized)),
  swapcase: method('', (text) =>
    text.replace(/\p{L}/gu, (c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())),
  ),
  strip: method('chars', (text, args) => strip(text, args.optionalString('chars'))),
  lstrip: method('chars', (text, args) => strip(text, args.optionalString('chars'), 'start')),
  rstrip: method('chars', (text, args) => strip(text, args.optionalString('chars'), 'end')),
  split: method('sep maxsplit', (text, args) => split(text, args, false)),
  rsplit: method('sep maxsplit', (text, args) => split(text, args, true)),
  splitlines: method('keepends', (text, args) => lines(text, args.boolean('keepends', false))),
  partition: method('sep', (text, args) => partition(text, args.string('sep'), false)),
  rpartition: method('sep', (text, args) => partition(text, args.string('sep'), true)),
  join: method('iterable', (text, args) =>
    joinedBy(
      iterate(args.required('iterable')).map((part) => stringOf(part, 'join: an item')),
      text,
    ),
  ),
  replace: method('old new count', (text, args) =>
    replaced(text, args.string('old'), args.string('new'), args.integer('count', -1)),
  ),
  startswith: method('prefix start end', (text, args) => ends(text, args, (part, affix) => part.startsWith(affix))),
  endswith: method('prefix start end', (text, args) => ends(text, args, (part, affix) => part.endsWith(affix))),
  removeprefix: method('prefix', (text, args) =>
    text.startsWith(args.string('prefix')) ? text.slice(args.string('prefix').length) : text,
  ),
  removesuffix: method('suffix', (text, args) =>
    text.endsWith(args.string('suffix')) ? text.slice(0, text.length - args.string('suffix').length) : text,
  ),
  find: method('sub start end', (text, args) => find(text, args, 'indexOf')),
  rfind: method('sub start end', (text, args) => find(text, args, 'lastIndexOf')),
  index: method('sub start end', (text, args) => foundOf(find(text, args, 'indexOf'))),
  rindex: method('sub start end', (text, args) => foundOf(find(text, args, 'lastIndexOf'))),
  count: method('sub start end', (text, args) => counted(ranged(text, args).part, args.string('sub'))),
  ljust: method('width fillchar', (text, args) => text + fill(text, args)),
  rjust: method('width fillchar', (text, args) => fill(text, args) + text),
  center: method('width fillchar', (text, args) => centred(text, args.integer('width'), args.string('fillchar', ' '))),
  zfill: method('width', (text, args) => zeroFilled(text, args.integer('width'))),
  expandtabs: method('tabsize', (text, args) => expanded(text, args.integer('tabsize', 8))),
  isalpha: all(/^\p{L}$/u),
  isdigit: all(/^[\p{Nd}²³¹⁰⁴-⁹₀-₉①-⑨]$/u),
  isdecimal: all(/^\p{Nd}$/u),
  isnumeric: all(/^\p{N}$/u),
  isalnum: all(/^[\p{L}\p{N}]$/u),
  isspace: method('', (text) => isSpace(text)),
  isascii: method('', (text) => /^[\0-\x7f]*$/.test(text)),
  isupper: method('', (text) => cased(text) && text === text.toUpperCase()),
  islower: method('', (text) => cased(text) && text === text.toLowerCase()),
  istitle: method('', (text) => cased(text) && text === text.replace(/\p{L}+/gu, capitalized)),
  isidentifier: method('', (text) => /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*$/u.test(text)),
};

/** Returns a method bound to a text; undefined if str has no method of this name. */
export function stringMethod(
  text: string,
  name: string,
): ((args: readonly Value[], named: ReadonlyMap<string, Value>) => Value) | undefined {
  if (name === 'format') return (args, named) => spentOn(text, () => formatBraces(text, args, named));
  if (!Object.hasOwn(methods, name)) return undefined;
  const { names, call } = methods[name];
  return (args, named) => spentOn(text, () => call(text, new CallArguments(`str.${name}`, names, args, named)));
}

/** Calls `make`, and counts the text that it reads and the text that it returns against the template's work limit. */
export function spentOn(text: string, make: () => Value): Value {
  spendText(text);
  const made = make();
  if (typeof made === 'string') spendLength(made.length);
  if (Array.isArray(made)) spendItems(made.length);
  return made;
}

export function capitalized(text: string): string {
  const [first = '', ...rest] = Array.from(text);
  return first.toUpperCase() + rest.join('').toLowerCase();
}

function split(text: string, args: CallArguments, fromEnd: boolean): Value[] {
  const separator = args.optionalString('sep');
  const limit = args.integer('maxsplit', -1);
  if (separator === null) return words(text, limit, fromEnd);
  if (separator === '') throw new TemplateError('str.split: the separator is empty');
  const parts = text.split(separator);
  const more = parts.length - 1 - limit;
  if (limit < 0 || more <= 0) return parts;
  return fromEnd
    ? [parts.slice(0, more + 1).join(separator), ...parts.slice(more + 1)]
    : [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

function lines(text: string, keepEnds: boolean): string[] {
  const found =
    text.match(/[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]|$)/g) ?? [];
  const whole = found.filter((line) => line !== '');
  return keepEnds ? whole : whole.map((line) => line.replace(/(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])$/, ''));
}

function partition(text: string, separator: string, fromEnd: boolean): Tuple {
  if (separator === '') throw new TemplateError('str.partition: the separator is empty');
  const at = fromEnd ? text.lastIndexOf(separator) : text.indexOf(separator);
  if (at < 0) return new Tuple(fromEnd ? ['', '', text] : [text, '', '']);
  return new Tuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
}

/** Replaces occurrences of `old` in a text by `by`. `count`: the largest number of replacements; negative: all. */
export function replaced(text: string, old: string, by: string, count: number): string {
  if (old === '') spendItems(text.length);
  const parts = old === '' ? ['', ...Array.from(text), ''] : text.split(old);
  spendItems(parts.length);
  if (count < 0 || count >= parts.length - 1) return joinedBy(parts, by);
  return joinedBy([...parts.slice(0, count), parts.slice(count).join(old)], by);
}

/** Returns the part of a text between the arguments `start` and `end`, and the number of code points before it. */
function ranged(text: string, args: CallArguments): { part: string; before: number } {
  if (!args.has('start')) return { part: text, before: 0 };
  const characters = Array.from(text);
  const place = (value: Value, otherwise: number) => {
    const at = value === null ? otherwise : integerOf(value, 'a position');
    return Math.max(0, at < 0 ? at + characters.length : at);
  };
  const [start, end] = [place(args.or('start', null), 0), place(args.or('end', null), characters.length)];
  return { part: characters.slice(start, Math.max(start, end)).join(''), before: start };
}

/** `startswith` and `endswith`; `matches` compares one of the given texts. */
function ends(text: string, args: CallArguments, matches: (part: string, affix: string) => boolean): boolean {
  const given = args.required('prefix');
  const affixes = given instanceof Tuple ? given.items : [given];
  const { part } = ranged(text, args);
  return affixes.some((affix) => matches(part, stringOf(affix, 'what a text begins or ends with')));
}

function find(text: string, args: CallArguments, search: 'indexOf' | 'lastIndexOf'): number {
  const { part, before } = ranged(text, args);
  const at = part[search](args.string('sub'));
  return at < 0 ? -1 : before + codePoints(part.slice(0, at));
}

function foundOf(at: number): number {
  if (at < 0) throw new TemplateError('str.index: the substring is not found');
  return at;
}

const counted = (text: string, sub: string): number => (sub === '' ? codePoints(text) + 1 : text.split(sub).length - 1);

const fill = (text: string, args: CallArguments): string =>
  repeatedText(args.string('fillchar', ' '), args.integer('width') - codePoints(text));

/** Centres a text. If an odd number of characters must be added, Python puts the additional one before the text if the width is odd. */
export function centred(text: string, width: number, char: string): string {
  const room = Math.max(0, width - codePoints(text));
  const before = Math.floor(room / 2) + (room & width & 1);
  return repeatedText(char, before) + text + repeatedText(char, room - before);
}

function zeroFilled(text: string, width: number): string {
  const sign = /^[-+]/.exec(text)?.[0] ?? '';
  return sign + repeatedText('0', width - codePoints(text)) + text.slice(sign.length);
}

function expanded(text: string, size: number): string {
  let column = 0;
  return Array.from(text, (char) => {
    if (char === '\t') {
      const spaces = size > 0 ? size - (column % size) : 0;
      column += spaces;
      return repeatedText(' ', spaces);
    }
    column = char === '\n' || char === '\r' ? 0 : column + 1;
    return char;
  }).join('');
}
