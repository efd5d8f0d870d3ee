// Converts JSON values to those of a template, in steps, since a dialogue may contain hundreds of thousands.
import type { Steps } from '../steps.js';
import { Float, type Dict, type Value } from './values.js';
import { checkNesting, type Work } from './work.js';
import { compactValue, keepText, numberText, textAsWritten } from './written-json.js';

/** The number of values that are converted in one step, which takes less than a millisecond. */
const AT_ONCE = 1024;

/**
 * If one object occurs several times, it becomes one dict.
 *
 * @param known the dicts and lists that have been made, by the JSON object
 */
export function fromJson(json: unknown, known: Map<unknown, Value>, work: Work): Steps<Value> {
  return new JsonReader(known, work).read(json, 0);
}

class JsonReader {
  #count = 0;

  constructor(
    private readonly known: Map<unknown, Value>,
    private readonly work: Work,
  ) {}

  *read(json: unknown, depth: number): Steps<Value> {
    if (json === undefined) return null;
    this.work.given(typeof json === 'string' ? json.length : 0);
    if (json === null || typeof json !== 'object') return json as Value;
    const before = this.known.get(json);
    if (before !== undefined) return before;
    checkNesting(depth);
    const text = textAsWritten(json);
    return yield* text === undefined ? this.#members(json, depth) : this.#text(json, text, depth);
  }

  *#text(json: object, text: string, depth: number): Steps<Value> {
    const compact = isJson(text) ? compactValue(text) : undefined;
    if (compact !== undefined) return yield* this.#members(compact as object, depth, json);
    this.work.given(text.length);
    const read = isJson(text) ? yield* new TextReader(text).read(depth) : keepText<Dict>(new Map(), text);
    this.known.set(json, read);
    return read;
  }

  /** Converts the members of an object or a list. `key`: the object under which the result is cached. */
  *#members(json: object, depth: number, key: object = json): Steps<Value> {
    const value: Value[] | Dict = Array.isArray(json) ? [] : new Map();
    this.known.set(key, value);
    const entries: Iterable<readonly [unknown, unknown]> = Array.isArray(json) ? json.entries() : Object.entries(json);
    for (const [name, item] of entries) {
      if (++this.#count % AT_ONCE === 0) yield;
      const text = typeof item === 'number' ? numberText(json, name as string | number) : undefined;
      const read = text === undefined ? yield* this.read(item, depth + 1) : scalarOf(text);
      if (Array.isArray(value)) value.push(read);
      else if (item !== undefined) value.set(name as string, read);
    }
    return value;
  }
}

function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

const SCALAR = /true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y;

/** Parses a text that is a JSON list or dict. Its numbers, lists and dicts keep their original text. */
class TextReader {
  #at = 0;
  #count = 0;

  constructor(private readonly text: string) {}

  *read(depth: number): Steps<Value> {
    this.#space();
    const start = this.#at;
    const read = this.text[start] === '[' ? yield* this.#list(depth) : yield* this.#dict(depth);
    return keepText(read, this.text.slice(start, this.#at));
  }

  *#list(depth: number): Steps<Value[]> {
    const list: Value[] = [];
    while (this.#hasNext(']')) {
      list.push(this.#isScalar(depth + 1) ? this.#scalar() : yield* this.read(depth + 1));
      if (++this.#count % AT_ONCE === 0) yield;
    }
    return list;
  }

  *#dict(depth: number): Steps<Dict> {
    const dict: Dict = new Map();
    while (this.#hasNext('}')) {
      const key = this.#string();
      this.#space();
      this.#at++; // skips the colon
      dict.set(key, this.#isScalar(depth + 1) ? this.#scalar() : yield* this.read(depth + 1));
      if (++this.#count % AT_ONCE === 0) yield;
    }
    return dict;
  }

  /** Returns whether the next value of the text is neither a list nor a dict. */
  #isScalar(depth: number): boolean {
    checkNesting(depth);
    this.#space();
    return this.text[this.#at] !== '{' && this.text[this.#at] !== '[';
  }

  #scalar = (): Value => (this.text[this.#at] === '"' ? this.#string() : scalarOf(this.#match(SCALAR)));

  /** Reads an opening bracket or a comma before an item, or the closing bracket; returns whether an item follows. */
  #hasNext(end: string): boolean {
    this.#space();
    if (this.text[this.#at++] === end) return false;
    this.#space();
    if (this.text[this.#at] !== end) return true;
    this.#at++;
    return false;
  }

  #string = (): string => JSON.parse(this.#match(STRING)) as string;

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.text)!;
    this.#at += found.length;
    return found;
  }

  #space(): void {
    while (' \t\n\r'.includes(this.text[this.#at])) this.#at++;
  }
}

function scalarOf(text: string): Value {
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return String(Number(text)) === text && Number.isSafeInteger(Number(text))
    ? Number(text)
    : new Float(Number(text), text);
}
