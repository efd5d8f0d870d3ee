// Text in single or double quotes: doubled quotes and escapes, and lines that fold.
import { isBreak, type Cursor } from './cursor.js';
import { YamlError } from './yaml-error.js';

const escapes: Record<string, string> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"', // prettier-ignore
  '\\': '\\',
  '/': '/',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029', // prettier-ignore
};

/** The text in quotes that begins at the cursor, which ends behind it. */
export function readQuoted(cursor: Cursor, quote: string): string {
  const { line, column } = cursor;
  const stops = quote === '"' ? /["\\ \t\n\r\x85\u2028\u2029]/g : /[' \t\n\r\x85\u2028\u2029]/g;
  cursor.index++;
  let text = '';
  for (;;) {
    stops.lastIndex = cursor.index;
    const stop = stops.exec(cursor.text);
    if (!stop) throw new YamlError('a quoted string is never closed', line, column + 1, `add a closing ${quote}`);
    text += cursor.text.slice(cursor.index, stop.index);
    cursor.index = stop.index;
    if (stop[0] === quote) {
      cursor.index++;
      if (quote === '"' || cursor.peek() !== "'") break;
      cursor.index++;
      text += "'";
    } else if (stop[0] === '\\') text += scanEscape(cursor);
    else text += scanQuotedSpaces(cursor);
  }
  return text;
}

function scanEscape(cursor: Cursor): string {
  const char = cursor.peek(1);
  const digits = { x: 2, u: 4, U: 8 }[char];
  if (digits !== undefined) {
    const hex = cursor.text.slice(cursor.index + 2, cursor.index + 2 + digits);
    if (!/^[0-9a-fA-F]+$/.test(hex) || hex.length < digits)
      cursor.fail(`'\\${char}' needs ${digits} hexadecimal digits`, `use single quotes if '\\' is meant as it stands`);
    const code = Number.parseInt(hex, 16);
    if (code > 0x10ffff) cursor.fail(`U+${hex} is no character`);
    cursor.index += 2 + digits;
    return String.fromCodePoint(code);
  }
  if (escapes[char] !== undefined) {
    cursor.index += 2;
    return escapes[char];
  }
  if (char !== '' && isBreak(char)) {
    cursor.index++;
    cursor.scanBreak();
    return scanQuotedBreaks(cursor);
  }
  cursor.fail(`unknown escape '\\${char}' in a double-quoted string`, `double the backslash, or use single quotes`);
}

function scanQuotedSpaces(cursor: Cursor): string {
  const start = cursor.index;
  while (cursor.peek() === ' ' || cursor.peek() === '\t') cursor.index++;
  const blanks = cursor.text.slice(start, cursor.index);
  const lineBreak = cursor.scanBreak();
  if (lineBreak === '') return blanks;
  const breaks = scanQuotedBreaks(cursor);
  return (lineBreak === '\n' ? (breaks === '' ? ' ' : '') : lineBreak) + breaks;
}

function scanQuotedBreaks(cursor: Cursor): string {
  let breaks = '';
  for (;;) {
    if (cursor.atDocumentMark('---') || cursor.atDocumentMark('...'))
      cursor.fail('the document ends inside a quoted string', 'close the quotes');
    while (cursor.peek() === ' ' || cursor.peek() === '\t') cursor.index++;
    const next = cursor.scanBreak();
    if (next === '') return breaks;
    breaks += next;
  }
}
