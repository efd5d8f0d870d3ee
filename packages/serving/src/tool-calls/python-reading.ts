// Parses Python literals from text that is still being generated, and converts them to JSON: True, False, None, numbers, strings,
// lists, tuples and dicts. JSON's true, false and null are accepted too, since models mix them. Source:
// docs.python.org/3/reference/lexical_analysis.html.
import { MOST_LEVELS } from '../http/json-nesting.js';
import { IncomingText, type Reading } from './incoming-text.js';

export type Literal = { json: string } | 'broken' | 'unfinished';

const NAMES: Record<string, string> = {
  True: 'true',
  False: 'false',
  None: 'null',
  true: 'true',
  false: 'false',
  null: 'null',
};

/** Converts a complete text to JSON; null if it is not a Python literal. */
export function pythonToJson(text: string): string | null {
  const input = new IncomingText();
  input.append(text, true);
  const { value } = readLiteral(input).next(); // the text is complete, so that the reader never yields
  return typeof value === 'object' && input.at === text.length ? value.json : null;
}

export function* readLiteral(input: IncomingText, depth = 0): Reading<Literal> {
  if (depth > MOST_LEVELS) return 'broken';
  const first = yield* input.peek();
  if (first === '') return 'unfinished';
  if (first === "'" || first === '"') return yield* readString(input);
  if (first === '[' || first === '(') return yield* readItems(input, first === '[' ? ']' : ')', depth);
  if (first === '{') return yield* readDict(input, depth);
  const word = yield* input.takeWhile(/^[-+.\w]$/);
  if (Object.hasOwn(NAMES, word)) return { json: NAMES[word] };
  const number = numberText(word);
  return number === null ? wrong(input) : { json: number };
}

/** Unchanged where JSON has the same syntax; null if it is not a number. Leading zeros are invalid, as in Python. */
function numberText(word: string): string | null {
  const [, sign, whole, point, fraction, exponent = ''] =
    /^([-+]?)(0+|[1-9]\d*|(?=\.\d))(?:(\.)(\d*))?([eE][+-]?\d+)?$/.exec(word) ?? [];
  if (whole === undefined) return null;
  const digits = point === undefined ? '' : `.${fraction || '0'}`;
  return `${sign === '-' ? '-' : ''}${whole.replace(/^0*$/, '0')}${digits}${exponent}`;
}

function* readItems(input: IncomingText, close: string, depth: number): Reading<Literal> {
  const items: string[] = [];
  const end = yield* separated(input, close, function* () {
    const item = yield* readLiteral(input, depth + 1);
    if (typeof item === 'string') return item;
    items.push(item.json);
    return null;
  });
  return end ?? { json: `[${items.join(', ')}]` };
}

function* readDict(input: IncomingText, depth: number): Reading<Literal> {
  const members: string[] = [];
  const end = yield* separated(input, '}', function* () {
    const key = yield* readLiteral(input, depth + 1);
    if (typeof key === 'string') return key;
    yield* input.skipSpace();
    if (!(yield* input.take(':'))) return wrong(input);
    yield* input.skipSpace();
    const value = yield* readLiteral(input, depth + 1);
    if (typeof value === 'string') return value;
    members.push(`${key.json.startsWith('"') ? key.json : JSON.stringify(key.json)}: ${value.json}`);
    return null;
  });
  return end ?? { json: `{${members.join(', ')}}` };
}

/** A comma may precede the closing bracket. @returns the reason why the members cannot be parsed; null on success */
function* separated(
  input: IncomingText,
  close: string,
  read: () => Reading<Exclude<Literal, object> | null>,
): Reading<Exclude<Literal, object> | null> {
  input.at++;
  yield* input.skipSpace();
  while (!(yield* input.take(close))) {
    const failure = yield* read();
    if (failure !== null) return failure;
    yield* input.skipSpace();
    const hasComma = yield* input.take(',');
    yield* input.skipSpace();
    if (!hasComma && !(yield* input.startsWith(close))) return wrong(input);
  }
  return null;
}

const wrong = (input: IncomingText): 'broken' | 'unfinished' => (input.isOver ? 'unfinished' : 'broken');

const SIMPLE: Record<string, string> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '/': '/', // JSON's escape
  '\n': '',
};

/** Parses a string. It may contain line breaks, unlike in Python, since chat templates write them. */
function* readString(input: IncomingText): Reading<Literal> {
  const quote = yield* input.peek();
  input.at++;
  let text = '';
  for (;;) {
    const character = yield* input.peek();
    if (character === '') return 'unfinished';
    input.at++;
    if (character === quote) return { json: JSON.stringify(text) };
    text += character === '\\' ? yield* readEscape(input) : character;
  }
}

const DIGITS: Record<string, number> = { x: 2, u: 4, U: 8 };

/** A backslash before a character that needs no escape is kept. */
function* readEscape(input: IncomingText): Reading<string> {
  const kind = yield* input.peek();
  if (Object.hasOwn(SIMPLE, kind)) {
    input.at++;
    return SIMPLE[kind];
  }
  if (!Object.hasOwn(DIGITS, kind)) return '\\';
  const start = input.at++;
  let digits = '';
  while (digits.length < DIGITS[kind] && /^[\da-fA-F]$/.test(yield* input.peek())) digits += input.text[input.at++];
  const code = parseInt(digits, 16);
  if (digits.length === DIGITS[kind] && code <= 0x10ffff) return String.fromCodePoint(code);
  input.at = start;
  return '\\';
}
