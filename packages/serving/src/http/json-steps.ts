// Parses JSON of megabytes in steps of milliseconds: JSON.parse alone blocks the server for 0.1 s for 5 MB of small numbers, and
// 0.5 s for 400,000 fields. A worker thread would not help, since copying its result takes as long.
import { keepNumbers } from '@bowyer/text';
import { MOST_LEVELS, type JsonCounts } from './json-nesting.js';

/** The characters of one step. JSON.parse gets about half as many per call, unless a single string or number is longer. */
const PIECE = 2 ** 15;

/** An array or object whose text is longer than one step, so that its members are parsed in several calls of JSON.parse. */
interface Frame {
  value: unknown[] | Record<string, unknown>;
  isEmpty: boolean;
}

/**
 * @param parse called for one bounded part of the text per step
 * @param check called after each step; it throws if the text exceeds a limit
 * @throws {SyntaxError} with the position
 */
export function jsonInSteps(
  text: string,
  check: (counts: JsonCounts) => void,
  parse: (json: string) => unknown = JSON.parse,
  piece = PIECE,
): Generator<undefined, unknown> {
  return new JsonSteps(text, check, parse, piece).read();
}

class JsonSteps {
  /** The arrays and objects that enclose the current position and are parsed in several steps, from the root inward. */
  readonly #frames: Frame[] = [];
  /** The position in the text up to which the members of the innermost frame are parsed. */
  #from = 0;
  /** Whether an array or object has just ended at `#from`, so that a comma or the end of the frame must follow. */
  #isBehindMember = false;
  #at = 0;
  #depth = 0;
  #inString = false;
  /** Positions of the open brackets by nesting level, and of the last comma within each (−1 without one). */
  readonly #brackets = new Int32Array(MOST_LEVELS + 2);
  readonly #lastCommas = new Int32Array(MOST_LEVELS + 2);
  readonly #counts: JsonCounts = { fields: 0, commas: 0, tooDeep: false };

  constructor(
    private readonly text: string,
    private readonly check: (counts: JsonCounts) => void,
    private readonly parse: (json: string) => unknown,
    private readonly piece: number,
  ) {}

  *read(): Generator<undefined, unknown> {
    const { text } = this;
    const begin = text.search(/[^ \t\n\r]/);
    if (begin < 0 || !isOpening(text.charCodeAt(begin))) return this.parse(text);
    const root = this.#enter(begin);
    this.#at = begin + 1;
    this.#open(begin);
    while (this.#frames.length > 0) {
      if (this.#at >= text.length) throw new SyntaxError('Unexpected end of JSON input');
      this.#scan(Math.min(text.length, this.#at + this.piece));
      this.check(this.#counts);
      while (this.#at - this.#from > this.piece && this.#shorten());
      yield;
    }
    const rest = /[^ \t\n\r]/.exec(text.slice(this.#from));
    if (rest) throw this.#problem(`Unexpected '${rest[0]}' behind the JSON`, this.#from + rest.index);
    return root.value;
  }

  /** Scans brackets and commas up to the position `end`, or up to the end of the root. */
  #scan(end: number): void {
    const { text } = this;
    const [lastCommas, counts] = [this.#lastCommas, this.#counts];
    let [at, inString, depth] = [this.#at, this.#inString, this.#depth];
    while (at < end && this.#frames.length > 0 && !counts.tooDeep) {
      const code = text.charCodeAt(at++);
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inString = !inString;
      else if (inString) continue;
      else if (code === COMMA) {
        counts.commas++;
        lastCommas[depth] = at - 1;
      } else if (code === COLON) counts.fields++;
      else if (isBracket(code)) depth = this.#bracket(at - 1, code);
    }
    [this.#at, this.#inString] = [at, inString];
  }

  /** Returns the nesting depth after the bracket. */
  #bracket(at: number, code: number): number {
    if (isOpening(code)) this.#open(at);
    else this.#close(at, code);
    return this.#depth;
  }

  #open(at: number): void {
    this.#counts.fields++;
    this.#counts.tooDeep ||= ++this.#depth > MOST_LEVELS;
    this.#brackets[this.#depth] = at;
    this.#lastCommas[this.#depth] = -1;
  }

  #close(at: number, code: number): void {
    if (this.#depth > this.#frames.length) return void this.#depth--; // JSON.parse checks later whether the brackets match
    this.#take(at, true);
    const { value } = this.#frames.pop()!;
    if ((code === END_BRACKET) !== Array.isArray(value))
      throw this.#problem(`Unexpected token '${String.fromCharCode(code)}'`, at);
    this.#depth--;
    this.#from = at + 1;
    this.#isBehindMember = true;
  }

  /** Parses complete members of the innermost frame, or enters one too long for one step. @returns whether either was possible */
  #shorten(): boolean {
    const level = this.#frames.length;
    if (level === 0) return false;
    const comma = this.#lastCommas[level];
    if (comma >= this.#from) {
      this.#take(comma, false);
      this.#from = comma + 1;
      return true;
    }
    if (this.#depth === level) return false; // the scanned text ends within a long string or number
    const bracket = this.#brackets[level + 1];
    if (this.#isBehindMember) throw this.#problem("Expected ',' or the end of an array or object", this.#from);
    this.#enter(bracket, this.text.slice(this.#from, bracket));
    return true;
  }

  /** @param before the text between the last comma and the bracket, with the key if the frame is in an object */
  #enter(bracket: number, before = ''): Frame {
    const isArray = this.text.charCodeAt(bracket) === BRACKET;
    const frame: Frame = { value: isArray ? [] : {}, isEmpty: true };
    const parent = this.#frames.at(-1);
    if (parent) {
      add(parent, this.#member(parent, before, frame.value));
      this.#lastCommas[this.#frames.length] = -1;
    }
    this.#frames.push(frame);
    this.#from = bracket + 1;
    return frame;
  }

  /** Returns an array or object, of the same kind as the parent, with the value as its only member. */
  #member({ value: parent }: Frame, before: string, value: unknown): Frame['value'] {
    if (Array.isArray(parent)) {
      if (isBlank(before)) return [value];
      throw this.#problem('Unexpected text before an array or object', this.#from);
    }
    if (!/:[ \t\n\r]*$/.test(before)) throw this.#problem("Expected ':' after property name", this.#from);
    const [key] = Object.keys(this.#parsed(parent, `${before}0`));
    return Object.defineProperty({}, key, { value, enumerable: true });
  }

  /** Parses the members from `#from` to `end`, the position of a comma in their frame or of the frame's end. */
  #take(end: number, isLast: boolean): void {
    const frame = this.#frames.at(-1)!;
    let members = this.text.slice(this.#from, end);
    if (this.#isBehindMember) {
      const next = /^[ \t\n\r]*(,|$)/.exec(members);
      if (!next) throw this.#problem("Expected ',' or the end of an array or object", this.#from);
      this.#isBehindMember = false;
      if (next[1] === '') return;
      this.#from += next[0].length;
      members = members.slice(next[0].length);
    }
    if (!isBlank(members)) return add(frame, this.#parsed(frame.value, members));
    if (!isLast || !frame.isEmpty) throw this.#problem('Expected a member of an array or object', this.#from);
  }

  #parsed(container: Frame['value'], members: string): Frame['value'] {
    try {
      return this.parse(Array.isArray(container) ? `[${members}]` : `{${members}}`) as Frame['value'];
    } catch (error) {
      const message = (error as Error).message.replace(/ \(line \d+ column \d+\)/, '');
      const place = / (?:in|after) JSON at position (\d+)/.exec(message);
      if (!place) throw error;
      throw this.#problem(message.replace(place[0], ''), this.#from + Number(place[1]) - 1);
    }
  }

  #problem(message: string, at: number): SyntaxError {
    return new SyntaxError(`${message} in JSON at position ${at}`);
  }
}

function add(frame: Frame, members: Frame['value']): void {
  frame.isEmpty = false;
  const { value } = frame;
  keepNumbers(members, value, Array.isArray(value) ? value.length : 0);
  if (Array.isArray(value)) for (const each of members as unknown[]) value.push(each);
  else
    for (const [key, each] of Object.entries(members))
      if (key === '__proto__')
        Object.defineProperty(value, key, { value: each, enumerable: true, configurable: true, writable: true });
      else value[key] = each;
}

const isBlank = (text: string): boolean => !/[^ \t\n\r]/.test(text);

const [QUOTE, BACKSLASH, COMMA, COLON, BRACKET, BRACE, END_BRACKET, END_BRACE] = Buffer.from('"\\,:[{]}');

const isOpening = (code: number): boolean => code === BRACKET || code === BRACE;

const isBracket = (code: number): boolean => isOpening(code) || code === END_BRACKET || code === END_BRACE;
