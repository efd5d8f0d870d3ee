// Keeps the original text of JSON values, so that chat templates print it: a tool call that a model wrote then has the same
// tokens when it is read again in a later prompt.

const written = new WeakMap<object, string>();

/**
 * Makes a value which `tojson` prints as `text`. A text without spaces, as programs write JSON, is printed with spaces like other
 * values, since models were trained on that form.
 *
 * @param text if it is not an object or an array, the value has no members, but prints as the text
 */
export function writtenJson(text: string): object {
  const value = objectOf(text);
  written.set(value, text);
  return value;
}

function objectOf(text: string): object {
  try {
    const value = parseJson(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The text is not valid JSON, so the value has no members; it prints as the text.
  }
  return {};
}

/**
 * Returns the text from which a value was made, by `writtenJson` or as a template's value; undefined if its text was not kept.
 */
export const textAsWritten = (value: object): string | undefined => written.get(value);

export function keepText<T extends object>(value: T, text: string): T {
  written.set(value, text);
  return value;
}

type Key = string | number;

/** The original texts of the numbers in an object or array, by key; only of those that would otherwise print differently. */
const numbers = new WeakMap<object, Map<Key, string>>();

/** Returns the original text of a number in an object or array; undefined if the number prints as it was written. */
export const numberText = (holder: object, key: Key): string | undefined => numbers.get(holder)?.get(key);

export function keepNumber(holder: object, key: Key, text: string): void {
  const texts = numbers.get(holder) ?? new Map<Key, string>();
  if (prints(text)) texts.delete(key);
  else numbers.set(holder, texts.set(key, text));
}

/**
 * Copies the texts of numbers to another object or array that has the same members, and returns it.
 *
 * @param shift the index in `to` of the first member of `from`, if they are arrays
 */
export function keepNumbers<T extends object>(from: object, to: T, shift = 0): T {
  const before = numbers.get(to);
  if (before && !Array.isArray(from)) for (const key of Object.keys(from)) before.delete(key);
  for (const [key, text] of numbers.get(from) ?? []) keepNumber(to, typeof key === 'number' ? key + shift : key, text);
  return to;
}

/** True for integers and decimals that are not long. */
const prints = (text: string): boolean =>
  /^(?!-0$|-?0\.0000)-?(?:0|[1-9]\d{0,14}|(?:0|[1-9]\d{0,6})\.\d{0,7}[1-9])$/.test(text);

/** Matches JSON texts in which some number may print differently from its text. It may also match inside strings. */
const UNUSUAL = /\d[.eE]\d|\d[eE][-+]|\d{16}|-0/;

/**
 * Parses JSON like JSON.parse, and keeps the texts of numbers, with which templates and `jsonAsWritten` print them.
 *
 * @param repeated called for a key that an object has twice
 * @throws {SyntaxError}
 */
export function parseJson(text: string, repeated?: (key: string) => void): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return value;
  const isRepeated = repeated !== undefined && keysWritten(text) !== keysOf(value);
  return isRepeated || UNUSUAL.test(text) ? readAsWritten(text, repeated) : value;
}

/** Counts the colons outside strings, which is the number of keys that the text contains. */
function keysWritten(text: string): number {
  let [count, inString] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) inString = !inString;
    else if (code === COLON && !inString) count++;
  }
  return count;
}

const [BACKSLASH, QUOTE, COLON] = [0x5c, 0x22, 0x3a];

function keysOf(value: object): number {
  let count = 0;
  const left: unknown[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const members = Array.isArray(next) ? (next as unknown[]) : Object.values(next as object);
    if (!Array.isArray(next)) count += members.length;
    for (const member of members) if (typeof member === 'object' && member !== null) left.push(member);
  }
  return count;
}

/** An object or array of the parsed text whose closing bracket has not been read yet. */
interface Open {
  value: unknown[] | Record<string, unknown>;
  /** The key of the next member; null in an array, and before the key has been read. */
  key: string | null;
}

const TOKEN = /[ \t\n\r,:]*(?:([[{])|([\]}])|("[^"\\]*(?:\\.[^"\\]*)*")|([-+.\w]+))/y;

/** The text is known to be a JSON object or array. As in JSON.parse, only memory limits the depth of nesting. */
function readAsWritten(text: string, repeated: (key: string) => void = () => undefined): unknown {
  const open: Open[] = [];
  TOKEN.lastIndex = 0;
  for (;;) {
    const [, opening, closing, string, scalar] = TOKEN.exec(text)!;
    const top = open.at(-1);
    if (closing !== undefined) {
      open.pop();
      if (open.length === 0) return top!.value;
    } else if (opening !== undefined) {
      const value = opening === '[' ? [] : {};
      if (top) add(top, value);
      open.push({ value, key: null });
    } else if (string !== undefined && top!.key === null && !Array.isArray(top!.value)) {
      top!.key = JSON.parse(string) as string;
      if (Object.hasOwn(top!.value, top!.key)) repeated(top!.key);
    } else {
      const value: unknown = JSON.parse(string ?? scalar);
      const { value: holder, key } = top!;
      if (typeof value === 'number') keepNumber(holder, key ?? (holder as unknown[]).length, scalar);
      add(top!, value);
    }
  }
}

function add(top: Open, value: unknown): void {
  if (Array.isArray(top.value)) top.value.push(value);
  else Object.defineProperty(top.value, top.key!, { value, enumerable: true, configurable: true, writable: true });
  top.key = null;
}

/** Parses a JSON text that contains no spaces; returns undefined for other texts. */
export function compactValue(text: string): unknown {
  const value = parseJson(text);
  return jsonAsWritten(value) === text ? value : undefined;
}

/**
 * Writes a value as JSON; numbers that `parseJson` has read keep their original text.
 *
 * @param separators the texts between members, and between a key and its value; without spaces if not given
 */
export function jsonAsWritten(value: unknown, separators: readonly [string, string] = [',', ':']): string {
  const [comma, colon] = separators;
  const member = (holder: object, key: Key, item: unknown) =>
    (typeof item === 'number' ? numberText(holder, key) : undefined) ?? jsonAsWritten(item, separators);
  if (Array.isArray(value)) return `[${value.map((item, i) => member(value, i, item)).join(comma)}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}${colon}${member(value, key, item)}`).join(comma)}}`;
}
