import { parseAnswer } from './answer-parser.js';
import { plainCharacters } from './characters.js';
import { balanced } from './lexer.js';

/** The number of characters at the end of a solution in which the answer is searched. */
const MAX_TEXT = 20_000;

/**
 * A final answer. `isStated`: it is boxed or announced by `answer is` etc., so that it may also be a word, list or expression.
 */
interface FoundAnswer {
  text: string;
  isStated: boolean;
}

const ANNOUNCED = /(?:####|\banswer\s*(?:is|=|:)+)\s*:?\s*/gi;

/**
 * Finds the final answer in the text of a solution: the content of the last `\boxed{…}`, or of the last ones with a comma or
 * `and` between them. Without a box, it is the text on the line after the last `####`, `answer is` or `Answer:`, or the last
 * number of that line. Otherwise, it is the last number of the text.
 */
export function findAnswer(text: string): FoundAnswer | null {
  const end = plainCharacters(text.slice(-MAX_TEXT))
    .replace(/[ \t]+/g, ' ')
    .trim();
  const boxed = lastBoxed(end);
  if (boxed !== null) return boxed === '' ? null : { text: boxed, isStated: true };
  const announced = [...end.matchAll(ANNOUNCED)].at(-1);
  if (announced === undefined) return wholeLine(end) ?? lastNumber(end);
  const part = end.slice(announced.index + announced[0].length);
  const line = part
    .split('\n', 1)[0]
    .trim()
    .replace(/(?<=\d)!$/, ''); // an exclamation mark, not a factorial
  const stated = [line, mathematics(line), sentence(line)].find((one) => one !== null && isStated(one));
  return stated ? { text: stated, isStated: true } : lastNumber(part);
}

function isStated(text: string): boolean {
  const meaning = parseAnswer(text);
  return meaning !== null && (meaning.kind !== 'text' || !/\d/.test(text));
}

/** Returns the first formula in math delimiters such as `$…$`, if the line begins with one. */
function mathematics(line: string): string | null {
  const found = /^(?:\$\$?([^$]+)\$|\\\((.+?)\\\)|\\\[(.+?)\\\])/.exec(line);
  return found === null ? null : (found[1] ?? found[2] ?? found[3]);
}

function sentence(line: string): string | null {
  const end = /[.!]\s/.exec(line);
  return end === null ? null : line.slice(0, end.index);
}

/** Returns the last line of the solution if it consists of a value alone. */
function wholeLine(text: string): FoundAnswer | null {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  return parseAnswer(line)?.kind === 'value' ? { text: line, isStated: true } : null;
}

interface Box {
  inner: string;
  start: number;
  end: number;
}

const MAX_BOXES = 200;

/** Returns the content of the last `\boxed{…}`, or of connected ones; empty if the text ends before the last box is closed. */
function lastBoxed(text: string): string | null {
  const boxes: Box[] = [];
  const commands = [...text.matchAll(/\\f?boxed\s*/g)].slice(-MAX_BOXES);
  for (const { index, 0: command } of commands) {
    const start = index + command.length;
    if (index < (boxes.at(-1)?.end ?? 0)) continue; // a box inside the one before
    const box = boxAt(text, start);
    if (box === '') boxes.length = 0;
    else if (box !== null) boxes.push({ ...box, start: index });
    if (box === '' && index === commands.at(-1)!.index) return '';
  }
  return boxes.length === 0 ? null : joined(text, boxes);
}

/** Parses the box whose brace is at `start`; returns an empty text if it is not closed, null if there is none. */
function boxAt(text: string, start: number): Omit<Box, 'start'> | '' | null {
  if (text[start] === '{') {
    const found = balanced(text, start);
    // If a box contains another box, the content of the inner one is the answer.
    return found === null ? '' : { inner: innermost(found.inner), end: found.end };
  }
  return /\d/.test(text[start] ?? '') ? { inner: text[start], end: start + 1 } : null; // TeX takes one character without braces
}

function innermost(text: string): string {
  for (let depth = 0; depth < MAX_BOXES; depth++) {
    const command = [...text.matchAll(/\\f?boxed\s*(?=\{)/g)].at(-1);
    const found = command === undefined ? null : balanced(text, command.index + command[0].length);
    if (found === null) return text;
    text = found.inner;
  }
  return text;
}

const BETWEEN =
  /^(?:[\s$]|\\[()[\]])*(?:,|;|\\text\s*\{\s*(?:and|or)\s*\}|and|or)(?:[\s$,]|\\q?quad|\\[()[\]]|\\text\s*\{\s*(?:and|or)\s*\}|and|or)*$/;

/** Joins the content of the last box and of the boxes before it that are connected with it by a comma, `and` or `or`. */
function joined(text: string, boxes: readonly Box[]): string {
  let first = boxes.length - 1;
  while (first > 0 && isConnected(text.slice(boxes[first - 1].end, boxes[first].start))) first--;
  return boxes
    .slice(first)
    .map(({ inner }) => inner)
    .join(', ');
}

const isConnected = (between: string): boolean =>
  between.length < 60 && (/^ ?$/.test(between) || BETWEEN.test(between.replace(/\\q?quad/g, ' ')));

// A sign of a number. After a number, a word or a closing bracket, it is an addition or subtraction and is not matched.
const SIGN = String.raw`(?:(?<![\p{L}\p{N})}\]] ?)[-+] ?)?`;
const DIGITS = String.raw`(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)`;
const PART = String.raw`(?:\{-?\d+\}|\d)`;

/** Matches numbers in a text, except those that are part of a word, of a longer number, of 1.2.3 or of 3:30. */
const NUMBERS = new RegExp(
  String.raw`(?<![\p{L}\p{N}_^]|\^\{|\p{N}[.,:/])${SIGN}\$? ?(?:\d+ \d+\/\d+|${DIGITS}(?: ?\/ ?\d+)?)` +
    String.raw`(?!\p{N}|[.,:/]\p{N}|[eE][+-]?\d)(?: ?\\?%)?`,
  'gu',
);

const FRACTIONS = new RegExp(String.raw`${SIGN}\d{0,9} ?\\[dtc]?frac ?${PART} ?${PART}`, 'gu');

function lastNumber(text: string): FoundAnswer | null {
  const fraction = [...text.matchAll(FRACTIONS)].at(-1);
  const number = [...text.matchAll(NUMBERS)].at(-1);
  const isLater = (fraction?.index ?? -1) + (fraction?.[0].length ?? 0) >= (number?.index ?? -1);
  const found = fraction && (number === undefined || isLater) ? fraction : number;
  return found === undefined ? null : { text: extended(text, found).trim(), isStated: false };
}

/** Matches characters after a number that belong to it, as in 2xy and 2\pi. `SCALED` matches words of scale, am and pm. */
const JOINED = /[\p{L}\\^_(][^\s$]*/uy;
const SCALED =
  /(?: (?:hundred|thousand|million|billion|trillion|dozen|percent)(?![a-z]))+|(?::\d\d)? ?[ap]\.?m(?:\.|(?![a-z]))/iy;

function extended(text: string, { index, 0: number }: RegExpExecArray): string {
  const end = index + number.length;
  for (const pattern of [JOINED, SCALED]) {
    pattern.lastIndex = end;
    const tail = pattern.exec(text);
    if (tail !== null) return number + tail[0];
  }
  return number;
}
