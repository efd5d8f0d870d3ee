// Parses one JSON value from text that is still being generated, up to the end of the value or its first invalid character.
import { MOST_LEVELS } from '../http/json-nesting.js';
import type { IncomingText, Reading } from './incoming-text.js';

/** A complete value, an invalid character, or the end of the answer before the value's end. */
export type JsonEnd = 'value' | 'broken' | 'unfinished';

const SPACE = /^[ \t\r\n]$/;
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const PLAIN = /[^"\\\x00-\x1f]*/y;
const ESCAPED = '"\\/bfnrtu';

/** @param pass called with the value's text as it arrives */
export function* readJson(input: IncomingText, pass: (text: string) => void = () => {}): Reading<JsonEnd> {
  const reader = new JsonReader(input);
  const steps = reader.value(0);
  let passed = input.at;
  for (;;) {
    const { done, value } = steps.next();
    if (input.at > passed) pass(input.text.slice(passed, input.at));
    passed = input.at;
    if (done === true) return value;
    yield;
  }
}

/** Returns the text without escapes, or the reason why there is none. */
export function* readJsonString(input: IncomingText): Reading<{ text: string } | Exclude<JsonEnd, 'value'>> {
  const start = input.at;
  if ((yield* input.peek()) !== '"') return input.isOver ? 'unfinished' : 'broken';
  const end = yield* readJson(input);
  return end === 'value' ? { text: JSON.parse(input.text.slice(start, input.at)) as string } : end;
}

class JsonReader {
  constructor(private readonly input: IncomingText) {}

  *value(depth: number): Reading<JsonEnd> {
    if (depth > MOST_LEVELS) return 'broken';
    const first = yield* this.input.peek();
    if (first === '') return 'unfinished';
    if (first === '"') return yield* this.#string();
    if (first === '{') return yield* this.#members('}', depth, true);
    if (first === '[') return yield* this.#members(']', depth, false);
    return yield* this.#scalar();
  }

  /** Parses the members of an array or an object up to its closing bracket. */
  *#members(close: string, depth: number, hasKeys: boolean): Reading<JsonEnd> {
    const { input } = this;
    input.at++;
    yield* input.takeWhile(SPACE);
    if (yield* input.take(close)) return 'value';
    for (;;) {
      const end = yield* this.#member(depth, hasKeys);
      if (end !== 'value') return end;
      yield* input.takeWhile(SPACE);
      if (yield* input.take(close)) return 'value';
      if (!(yield* input.take(','))) return yield* this.#wrong();
      yield* input.takeWhile(SPACE);
    }
  }

  *#member(depth: number, hasKey: boolean): Reading<JsonEnd> {
    const { input } = this;
    if (hasKey) {
      if ((yield* input.peek()) !== '"') return yield* this.#wrong();
      const end = yield* this.#string();
      if (end !== 'value') return end;
      yield* input.takeWhile(SPACE);
      if (!(yield* input.take(':'))) return yield* this.#wrong();
      yield* input.takeWhile(SPACE);
    }
    return yield* this.value(depth + 1);
  }

  *#string(): Reading<JsonEnd> {
    const { input } = this;
    input.at++;
    for (;;) {
      PLAIN.lastIndex = input.at;
      input.at += PLAIN.exec(input.text)![0].length;
      const character = yield* input.peek();
      if (character === '"') {
        input.at++;
        return 'value';
      }
      if (character === '' || character < ' ') return yield* this.#wrong();
      input.at++;
      if (character === '\\' && !(yield* this.#escape())) return yield* this.#wrong();
    }
  }

  *#escape(): Reading<boolean> {
    const { input } = this;
    const kind = yield* input.peek();
    if (kind === '' || !ESCAPED.includes(kind)) return false;
    input.at++;
    for (let digit = 0; kind === 'u' && digit < 4; digit++) {
      if (!/^[\da-fA-F]$/.test(yield* input.peek())) return false;
      input.at++;
    }
    return true;
  }

  *#scalar(): Reading<JsonEnd> {
    const text = yield* this.input.takeWhile(/^[-+.\w]$/);
    if (SCALAR.test(text)) return 'value';
    return this.input.at >= this.input.text.length ? 'unfinished' : 'broken';
  }

  *#wrong(): Reading<JsonEnd> {
    return (yield* this.input.peek()) === '' ? 'unfinished' : 'broken';
  }
}

export function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
