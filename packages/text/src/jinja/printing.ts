// Prints the values of a Jinja template as Python's str(), repr() and json.dumps() do.
import { TemplateError } from './template-error.js';
import { Attributes, Callable, Float, Tuple, typeName, Undefined, View, type Value } from './values.js';
import { checkNesting, spend, spendLength } from './work.js';
import { textAsWritten } from './written-json.js';

/** Returns str(value), the text that an expression prints. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  return value instanceof Undefined ? '' : repr(value);
}

export function repr(value: Value, depth = 0): string {
  spend(1);
  checkNesting(depth);
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return Number.isInteger(value) ? integerText(value) : floatText(value);
  if (value instanceof Float) return value.written ?? floatText(value.value);
  if (value instanceof Undefined) return 'Undefined';
  const inner = (item: Value) => repr(item, depth + 1);
  if (Array.isArray(value)) return `[${listed(value.map(inner))}]`;
  if (value instanceof Tuple) return `(${listed(value.items.map(inner))}${value.items.length === 1 ? ',' : ''})`;
  if (value instanceof Map) return `{${listed([...value].map(([key, item]) => `${inner(key)}: ${inner(item)}`))}}`;
  if (value instanceof View) return `${value.kind}([${listed(value.items.map(inner))}])`;
  if (value instanceof Attributes && value.isWritable)
    return `<Namespace {${listed([...value.values].map(([key, item]) => `${quoted(key)}: ${inner(item)}`))}}>`;
  throw new TemplateError(
    `a ${value instanceof Callable ? `function (${value.name})` : typeName(value)} cannot be printed`,
  );
}

const listed = (items: readonly string[]): string => joinedBy(items, ', ');

export function joinedBy(items: readonly string[], separator: string): string {
  const own = items.reduce((sum, { length }) => sum + length, 0);
  spendLength(own + separator.length * Math.max(0, items.length - 1));
  return items.join(separator);
}

const integerText = (value: number): string => (Number.isSafeInteger(value) ? String(value) : BigInt(value).toString());

/** Writes the shortest digits that are read back as the same number, with an exponent below 1e-4 and from 1e16 on. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const [digits, power] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16)
    return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  if (Object.is(value, -0)) return '-0.0';
  const places = Math.max(0, digits.replace(/^-|\./g, '').length - 1 - exponent);
  const text = value.toFixed(places);
  return text.includes('.') ? text : `${text}.0`;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function quoted(text: string): string {
  spendLength(text.length);
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\\n\r\t]|(?! )[\p{C}\p{Z}]/gu, (char) => ESCAPES[char] ?? codeEscape(char));
  return quote + (quote === "'" ? body.replaceAll("'", "\\'") : body) + quote;
}

function codeEscape(char: string): string {
  const code = char.codePointAt(0)!;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

interface JsonOptions {
  ensureAscii: boolean;
  /** The indentation for each level of nesting; null: everything on one line. */
  indent: string | null;
  separators: readonly [item: string, key: string];
  sortKeys: boolean;
}

/** If the options do not change the form, values that were read from JSON are printed with their original text. */
const hasOwnLayout = ({ indent, sortKeys, ensureAscii }: JsonOptions) => indent !== null || sortKeys || ensureAscii;

export function jsonText(value: Value, options: JsonOptions, depth = 0): string {
  spend(1);
  checkNesting(depth);
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return jsonString(value, options);
  if (typeof value === 'number' || value instanceof Float) return jsonNumber(repr(value));
  const written = hasOwnLayout(options) ? undefined : textAsWritten(value);
  if (written !== undefined) return written;
  if (Array.isArray(value) || value instanceof Tuple) {
    const items = Array.isArray(value) ? value : value.items;
    return bracketed(
      '[',
      ']',
      items.map((item) => jsonText(item, options, depth + 1)),
      options,
      depth,
    );
  }
  if (!(value instanceof Map)) throw new TemplateError(`tojson: ${typeName(value)} cannot be written as JSON`);
  const entries = [...value].map(([key, item]) => [jsonKey(key), item] as const);
  if (options.sortKeys) entries.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  const [, colon] = options.separators;
  const items = entries.map(([key, item]) => jsonString(key, options) + colon + jsonText(item, options, depth + 1));
  return bracketed('{', '}', items, options, depth);
}

function bracketed(open: string, close: string, items: readonly string[], options: JsonOptions, depth: number): string {
  const { indent, separators } = options;
  if (indent === null || items.length === 0) return open + joinedBy(items, separators[0]) + close;
  spendLength(indent.length * depth);
  const line = `\n${indent.repeat(depth)}`;
  return open + line + indent + joinedBy(items, separators[0] + line + indent) + line + close;
}

function jsonKey(key: Value): string {
  if (typeof key === 'string') return key;
  if (key === null || typeof key === 'boolean') return String(key);
  if (typeof key === 'number' || key instanceof Float) return jsonNumber(repr(key));
  throw new TemplateError(`tojson: keys must be strings or numbers, not ${typeName(key)}`);
}

const jsonNumber = (text: string): string => text.replace(/^(-?)inf$/, '$1Infinity').replace(/^nan$/, 'NaN');

/** Writes a JSON string. JSON.stringify escapes lone surrogates and no other non-ASCII characters; json.dumps does not escape DEL. */
function jsonString(text: string, { ensureAscii }: JsonOptions): string {
  spendLength(text.length);
  const json = JSON.stringify(text);
  if (!ensureAscii) return json;
  return json.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
