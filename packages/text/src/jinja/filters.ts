// Implements Jinja's filters of texts, numbers and single values. `tojson` is that of transformers: json.dumps without Jinja's
// escapes for HTML. Filters for HTML only are not supported; `safe` changes nothing.
import { repeatedText } from './arithmetic.js';
import { attributeOf } from './members.js';
import { CallArguments } from './call-arguments.js';
import { formatPercent, rounded } from './formatting.js';
import type { Filter, Named } from './filter.js';
import { listFilters } from './list-filters.js';
import { joinedBy, jsonText, textOf } from './printing.js';
import { capitalized, centred, codePoints, replaced, spentOn } from './strings.js';
import { TemplateError } from './template-error.js';
import {
  integerOf,
  isFloat,
  isTrue,
  iterate,
  lengthOf,
  numberOf,
  Float,
  floatOf,
  stringOf,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from './values.js';
import { strip } from './whitespace.js';

/** Each filter by name: the names of its parameters, separated by spaces, and its function. */
const valueFilters: Record<string, readonly [names: string, apply: Filter]> = {
  abs: ['', (value) => (isFloat(value) ? floatOf(Math.abs(numberOf(value)!)) : Math.abs(integerOf(value, 'abs')))],
  attr: ['name', (value, args) => attributeOf(value, args.string('name'))],
  capitalize: ['', (value) => capitalized(textOf(value))],
  center: ['width', (value, args) => centred(textOf(value), args.integer('width', 80), ' ')],
  default: [
    'default_value boolean',
    (value, args) =>
      value instanceof Undefined || (args.boolean('boolean', false) && !isTrue(value))
        ? args.or('default_value', '')
        : value,
  ],
  escape: ['', (value) => escaped(textOf(value))],
  float: ['default', (value, args) => toFloat(value, args.or('default', new Float(0)))],
  indent: ['width first blank', indented],
  int: ['default base', (value, args) => toInteger(value, args.or('default', 0), args.integer('base', 10))],
  lower: ['', (value) => textOf(value).toLowerCase()],
  replace: [
    'old new count',
    (value, args) =>
      replaced(
        textOf(value),
        textOf(args.required('old')),
        textOf(args.required('new')),
        args.or('count', null) === null ? -1 : args.integer('count'),
      ),
  ],
  round: ['precision method', round],
  safe: ['', (value) => textOf(value)],
  string: ['', (value) => textOf(value)],
  title: ['', (value) => textOf(value).replace(/[^-\s({[<]+/g, capitalized)],
  tojson: ['ensure_ascii indent separators sort_keys', toJson],
  trim: ['chars', (value, args) => strip(textOf(value), args.optionalString('chars'))],
  truncate: ['length killwords end leeway', truncated],
  upper: ['', (value) => textOf(value).toUpperCase()],
  urlencode: ['', (value) => urlEncoded(stringOf(value, 'urlencode'))],
  wordcount: ['', (value) => textOf(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0],
};

const filters: typeof valueFilters = { ...valueFilters, ...listFilters };
for (const [alias, name] of [
  ['d', 'default'],
  ['e', 'escape'],
  ['count', 'length'],
  ['forceescape', 'escape'],
] as const)
  filters[alias] = filters[name];

export function applyFilter(
  name: string,
  value: Value,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  tools: Named,
): Value {
  if (name === 'format') return formatPercent(textOf(value), named.size > 0 ? new Map(named) : new Tuple(args));
  if (name === 'map' || isSelection(name))
    return listFilters[name][1](
      value,
      new CallArguments(name, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'attribute', 'default'], args, named),
      tools,
    );
  if (!Object.hasOwn(filters, name)) throw new TemplateError(`there is no filter '${name}'`);
  const [names, apply] = filters[name];
  const given = new CallArguments(`the filter ${name}`, names === '' ? [] : names.split(' '), args, named);
  return spentOn(typeof value === 'string' ? value : '', () => apply(value, given, tools));
}

export const isFilter = (name: string): boolean => name === 'format' || Object.hasOwn(filters, name);

const isSelection = (name: string) => /^(select|reject)(attr)?$/.test(name);

function urlEncoded(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new TemplateError('urlencode: the text has half of a surrogate pair');
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/');
}

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll("'", '&#39;')
    .replaceAll('"', '&#34;');

function toInteger(value: Value, otherwise: Value, base: number): Value {
  const number = numberOf(value);
  if (number !== undefined) return Number.isFinite(number) ? Math.trunc(number) : otherwise;
  if (typeof value !== 'string') return otherwise;
  const text = strip(value)
    .replace(/(?<=\d)_(?=\d)/g, '')
    .toLowerCase();
  const digits = base === 10 ? /^[-+]?\d+$/ : /^[-+]?(0[xbo])?[\da-f]+$/;
  if (digits.test(text)) {
    const plain = base === 10 ? text : text.replace(/0[xbo]/, '');
    return parseInt(plain, base);
  }
  const float = toFloat(value, null);
  return float === null ? otherwise : Math.trunc(numberOf(float)!);
}

function toFloat(value: Value, otherwise: Value): Value {
  const number = numberOf(value);
  if (number !== undefined) return floatOf(number);
  if (typeof value !== 'string') return otherwise;
  const text = strip(value)
    .replace(/(?<=\d)_(?=\d)/g, '')
    .toLowerCase();
  if (/^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/.test(text)) return floatOf(Number(text));
  const special = /^([-+]?)(inf|infinity|nan)$/.exec(text);
  if (!special) return otherwise;
  return special[2] === 'nan' ? NaN : special[1] === '-' ? -Infinity : Infinity;
}

function round(value: Value, args: CallArguments): Value {
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`round needs a number, not ${typeName(value)}`);
  const method = args.string('method', 'common');
  if (method !== 'common' && method !== 'ceil' && method !== 'floor')
    throw new TemplateError('round: method must be common, ceil or floor');
  const places = args.integer('precision', 0);
  // Python's round() returns an int for an int; the methods `ceil` and `floor` of Jinja's filter return floats.
  if (method === 'common' && !isFloat(value)) return numberOf(rounded(number, places, method))!;
  return rounded(number, places, method);
}

function toJson(value: Value, args: CallArguments): Value {
  const indent = args.or('indent', null);
  const separators = args.or('separators', null);
  const pair = separators === null ? [indent === null ? ', ' : ',', ': '] : iterate(separators);
  return jsonText(value, {
    ensureAscii: args.boolean('ensure_ascii', false),
    indent:
      indent === null
        ? null
        : typeof indent === 'string'
          ? indent
          : repeatedText(' ', integerOf(indent, 'tojson: indent')),
    separators: [stringOf(pair[0], 'a separator'), stringOf(pair[1], 'a separator')],
    sortKeys: args.boolean('sort_keys', false),
  });
}

function indented(value: Value, args: CallArguments): Value {
  const width = args.or('width', 4);
  const by = typeof width === 'string' ? width : repeatedText(' ', integerOf(width, 'indent: width'));
  const isBlank = args.boolean('blank', false);
  const [first, ...rest] = `${textOf(value)}\n`.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/).slice(0, -1);
  const others = rest.map((line) => (isBlank || line !== '' ? by + line : line));
  return joinedBy([args.boolean('first', false) ? by + first : first, ...others], '\n');
}

function truncated(value: Value, args: CallArguments): Value {
  if (typeof value !== 'string' && lengthOf(value) <= args.integer('length', 255) + args.integer('leeway', 5))
    return value;
  const text = textOf(value);
  const [length, end] = [args.integer('length', 255), args.string('end', '...')];
  if (codePoints(text) <= length + args.integer('leeway', 5)) return text;
  const cut = Array.from(text)
    .slice(0, length - codePoints(end))
    .join('');
  if (args.boolean('killwords', false)) return cut + end;
  const space = cut.lastIndexOf(' ');
  return (space < 0 ? cut : cut.slice(0, space)) + end;
}
