// Values of JSON as a template's values.
import { Float, type Dict, type Value } from './values.js';
import { checkNesting, type Work } from './work.js';
import { keepText, textAsWritten } from './written-json.js';

/** A value of JSON. The same object becomes the same dict. @param work counts what the template is given */
export function fromJson(json: unknown, known = new Map<unknown, Value>(), work?: Work, depth = 0): Value {
  if (json === undefined) return null;
  work?.given(typeof json === 'string' ? json.length : 0);
  if (json === null || typeof json !== 'object') return json as Value;
  const before = known.get(json);
  if (before !== undefined) return before;
  checkNesting(depth);
  const text = textAsWritten(json);
  const value: Value[] | Dict = Array.isArray(json) ? [] : new Map();
  if (text !== undefined) {
    work?.given(text.length);
    const read = isJson(text) ? new TextReader(text, depth).value() : keepText(value, text);
    known.set(json, read);
    return read;
  }
  known.set(json, value);
  const inner = (item: unknown) => fromJson(item, known, work, depth + 1);
  if (Array.isArray(value)) for (const item of json as unknown[]) value.push(inner(item));
  else for (const [key, item] of Object.entries(json)) if (item !== undefined) value.set(key, inner(item));
  return value;
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

/** Reads a text that is known to be JSON; each of its numbers, lists and dicts keeps its own text. */
class TextReader {
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly depth: number,
  ) {}

  value(depth = this.depth): Value {
    checkNesting(depth);
    this.#space();
    const start = this.#at;
    const first = this.text[start];
    if (first === '"') return this.#string();
    if (first !== '{' && first !== '[') return scalarOf(this.#match(SCALAR));
    const read = first === '[' ? this.#list(depth) : this.#dict(depth);
    return keepText(read, this.text.slice(start, this.#at));
  }

  #list(depth: number): Value[] {
    const list: Value[] = [];
    while (this.#hasNext(']')) list.push(this.value(depth + 1));
    return list;
  }

  #dict(depth: number): Dict {
    const dict: Dict = new Map();
    while (this.#hasNext('}')) {
      const key = this.#string();
      this.#space();
      this.#at++; // the colon
      dict.set(key, this.value(depth + 1));
    }
    return dict;
  }

  /** Goes past an opening bracket or a comma, or past the end. */
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
