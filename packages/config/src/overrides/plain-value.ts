// Converts values of overrides to JSON and back, so that a service that stores JSON returns what was typed.
import { ConfigError } from '../config-error.js';
import { Float } from '../node.js';
import { encodeElement } from './encode.js';
import { parseOverride, parseValue } from './parser.js';
import { DictValue, isSweep, ListExtension, QuotedString, type OverrideValue } from './value.js';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * Returns the value after '=' as JSON; a text keeps its interpolations.
 *
 * @throws {ConfigError} for values that JSON cannot represent: nan, inf, integers that a double does not hold exactly
 */
export function plainValue(key: string, text: string): JsonValue {
  return plainOf(parseValue(text), `${key}=${text}`);
}

function plainOf(value: OverrideValue, shown: string): JsonValue {
  if (value instanceof QuotedString) return value.text;
  if (Array.isArray(value)) return value.map((item) => plainOf(item, shown));
  if (value instanceof DictValue)
    return Object.fromEntries(value.pairs.map((pair) => [encodedKey(pair.key), plainOf(pair.value, shown)]));
  if (isSweep(value) || value instanceof ListExtension) throw unwritable(shown, 'it is not one value');
  const number = value instanceof Float ? value.value : value;
  if (typeof number === 'bigint') throw unwritable(shown, `${number} is beyond ±${Number.MAX_SAFE_INTEGER}`);
  if (typeof number === 'number' && !Number.isFinite(number)) throw unwritable(shown, `JSON has no ${number}`);
  return number;
}

/** Writes `key=value`. @throws {ConfigError} for a value that the grammar or a command line cannot represent */
export function overrideText(key: string, value: unknown): string {
  const text = `${key}=${valueText(value)}`;
  if (/\0|\p{Surrogate}/u.test(text)) throw unwritable(text, 'it has a character that no command line can hold');
  if (readBack(text) !== canonical(value))
    throw unwritable(text, 'the grammar of overrides has no word for a key in it');
  return text;
}

/** Parses an override that `overrideText` has written; returns its value in canonical form, null if it is invalid. */
function readBack(text: string): string | null {
  try {
    return canonical(plainOf(parseOverride(text).value!, text));
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return isWord(value) ? value : encodeElement(new QuotedString(value, "'"));
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, member]) => `${encodeElement(key)}:${valueText(member)}`)
      .join(',')}}`;
  return Object.is(value, -0) ? '-0.0' : String(value);
}

/** Writes a text in quotes, as the value of an override or an item of a list. */
export const quotedText = (text: string): string => encodeElement(new QuotedString(text, '"'));

/** Returns whether a text needs no quotes, because it cannot be read as another type. */
const isWord = (text: string): boolean =>
  /^[A-Za-z_][\w./-]*$/.test(text) && !/^(true|false|null|nan|inf)$/i.test(text);

const encodedKey = (key: DictValue['pairs'][number]['key']): string =>
  typeof key === 'string' ? key : encodeElement(key as null);

/** Writes a value in canonical form: members are sorted, and −0 differs from 0. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)
      .sort()
      .join(',')}}`;
  return Object.is(value, -0) ? '-0' : (JSON.stringify(value) ?? 'undefined');
}

const unwritable = (shown: string, why: string) =>
  new ConfigError('sweep', `'${shown}' cannot be passed on as it is: ${why}`, ['write another value']);
