// Final answers: where a text states one, and what it means.
import { Expression } from './expression.js';
import { balanced, plainCharacters, plainText } from './latex.js';

/** Of a longer text only the end is read. */
const MAX_TEXT = 20_000;

/** A longer answer is compared with none. */
const MAX_ANSWER = 2000;

/** Members of a list that are still compared. */
const MAX_MEMBERS = 32;

/** The meaning of a final answer. */
export type Answer =
  | { kind: 'value'; value: Expression; unit: string | null }
  /** Brackets as written; '' on both sides for a bare list. In a tuple, an interval or a vector the order matters. */
  | { kind: 'list'; open: string; close: string; isOrdered: boolean; members: readonly Answer[] }
  /** In lower case with single spaces. */
  | { kind: 'text'; text: string };

/** A final answer as it stands in a text. `isStated`: boxed or announced, so that it may also be a word, a list or an expression. */
export interface FoundAnswer {
  text: string;
  isStated: boolean;
}

const ANNOUNCED = /(?:####|\banswer\s*(?:is|=|:)+)\s*:?\s*/gi;

/**
 * The content of the last `\boxed{…}`; else what follows the last `####`, `answer is` or `Answer:` on its line, as a whole where that
 * is an answer, or its last number; else the last number of the text.
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
  const line = part.split('\n', 1)[0].trim();
  const meaning = parseAnswer(line);
  if (meaning !== null && (meaning.kind !== 'text' || !/\d/.test(line))) return { text: line, isStated: true };
  return lastNumber(part);
}

/** The last line, where it is a value and nothing else. */
function wholeLine(text: string): FoundAnswer | null {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  return parseAnswer(line)?.kind === 'value' ? { text: line, isStated: true } : null;
}

/** '' where the last box was cut off before its brace. */
function lastBoxed(text: string): string | null {
  for (const { index, 0: command } of [...text.matchAll(/\\f?boxed\s*/g)].reverse()) {
    const start = index + command.length;
    if (text[start] === '{') {
      const found = balanced(text, start);
      // One inside another box is that box's content.
      return found === null ? '' : (lastBoxed(found.inner) ?? found.inner);
    }
    if (/\d/.test(text[start] ?? '')) return text[start]; // TeX takes one character
  }
  return null;
}

// A minus after a number, a word or a closing bracket is a subtraction.
const SIGN = String.raw`(?:(?<![\p{L}\p{N})}\]] ?)[-+] ?)?`;
const DIGITS = String.raw`(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)`;
const PART = String.raw`(?:\{-?\d+\}|\d)`;

/** Numbers that stand alone: not part of a word, of a longer number, of 1.2.3 or of 3:30. */
const NUMBERS = new RegExp(
  String.raw`(?<![\p{L}\p{N}_]|\p{N}[.,:/])${SIGN}\$? ?(?:\d+ \d+\/\d+|${DIGITS}(?: ?\/ ?\d+)?)` +
    String.raw`(?!\p{N}|[.,:/]\p{N}|[eE][+-]?\d)(?: ?\\?%)?`,
  'gu',
);

const FRACTIONS = new RegExp(String.raw`${SIGN}\d{0,9} ?\\[dtc]?frac ?${PART} ?${PART}`, 'gu');

function lastNumber(text: string): FoundAnswer | null {
  const fraction = [...text.matchAll(FRACTIONS)].at(-1);
  const number = [...text.matchAll(NUMBERS)].at(-1);
  const isLater = (fraction?.index ?? -1) + (fraction?.[0].length ?? 0) >= (number?.index ?? -1);
  const found = fraction && (number === undefined || isLater) ? fraction : number;
  return found === undefined ? null : { text: found[0].trim(), isStated: false };
}

/** @param text a final answer alone; null where it is empty or too long */
export function parseAnswer(text: string): Answer | null {
  if (text.length > MAX_ANSWER) return null;
  const plain = stripped(text);
  if (plain === '') return null;
  return valueOf(plain) ?? infinity(plain) ?? listOf(plain) ?? { kind: 'text', text: plainWords(plain) };
}

/** Without the parentheses of a choice (A), the braces of an index, and spaces that mean nothing. */
const plainWords = (plain: string): string =>
  plain
    .toLowerCase()
    .replace(/^\((.*)\)$/, '$1')
    .replace(/_\{(\w+)\}/g, '_$1')
    .replace(/ ?([^\w ]) ?/g, '$1');

/** An end of an interval. */
function infinity(plain: string): Answer | null {
  const sign = /^([-+]?) ?(?:\\infty|∞|infinity)$/.exec(plain)?.[1];
  return sign === undefined ? null : { kind: 'text', text: sign === '-' ? '-infinity' : 'infinity' };
}

/** Without dollar signs around it and without the name of what is solved for: `$x = 5$` is `5`. */
function stripped(text: string): string {
  const plain = plainText(text.trim().replace(/^(\${1,2})([^$]*)\1\.?$/, '$2'));
  return plain.replace(/^[a-zA-Z](?:\([a-zA-Z]\))? ?(?:=|\\in(?![a-z])) ?(?=.)/, '');
}

/** Other names of measures; a word that is not among them is compared with none. */
const units: Readonly<Record<string, string>> = {
  ...{
    $: 'dollar',
    dollar: 'dollar',
    usd: 'dollar',
    '€': 'euro',
    euro: 'euro',
    '£': 'pound',
    cent: 'cent',
    '¢': 'cent',
  },
  ...{ mm: 'mm', cm: 'cm', m: 'm', km: 'km', meter: 'm', metre: 'm', centimeter: 'cm', kilometer: 'km', mile: 'mile' },
  ...{ inch: 'inch', inches: 'inch', foot: 'foot', feet: 'foot', ft: 'foot', yard: 'yard' },
  ...{ g: 'g', gram: 'g', kg: 'kg', kilogram: 'kg', l: 'l', liter: 'l', litre: 'l', ml: 'ml' },
  ...{
    s: 'second',
    second: 'second',
    minute: 'minute',
    min: 'minute',
    hour: 'hour',
    h: 'hour',
    day: 'day',
    week: 'week',
  },
  ...{ degree: 'degree', '°': 'degree', '%': '%', percent: '%' },
};

const UNIT_BEFORE = /^([-+]?) ?\\?([$€£]) ?/;
const UNIT_AFTER =
  /^(.*[\d)}]) ?(%|°|¢|\^ ?\{? ?\\circ ?\}?|(?:(?<= )[a-zA-Z]|[a-zA-Z]{2,})\.?(?:\^ ?\{?[23]\}?)?(?: [a-zA-Z]+){0,4})$/;

function valueOf(plain: string): Answer | null {
  if (/^\$?[a-zA-Z ]+$/.test(plain) && plain.length > 1 && plain !== 'pi') return null; // words
  const before = UNIT_BEFORE.exec(plain);
  if (before) {
    const rest = valueOf(`${before[1]}${plain.slice(before[0].length)}`);
    return rest?.kind === 'value' && rest.unit === null ? { ...rest, unit: units[before[2]] } : null;
  }
  const after = UNIT_AFTER.exec(plain);
  if (after && !/^(?:sqrt|pi|sin|cos|tan|ln|log|exp)$/.test(after[2])) {
    const value = Expression.parse(after[1]);
    if (value !== null) return { kind: 'value', value, unit: unitOf(after[2]) };
  }
  const value = Expression.parse(plain);
  return value && { kind: 'value', value, unit: null };
}

/** The measure, with its power; '' for a word that is no measure. */
function unitOf(text: string): string {
  if (/circ/.test(text)) return 'degree';
  const [word, power = ''] = text.split(/[ .]/, 1)[0].split('^');
  const name = word.toLowerCase();
  const unit = units[name] ?? units[name.replace(/s$/, '')];
  return unit === undefined ? '' : unit + power.replace(/[{}]/g, '');
}

const SEPARATORS = /\s*(?:,|\\cup|∪|\bor\b|\band\b|;)\s*/;

function listOf(plain: string): Answer | null {
  const bracketed = /^(\(|\[|\\\{|\{)(.*?)(\)|\]|\\\}|\})$/s.exec(plain);
  const isWhole = bracketed !== null && splitTopLevel(plain, SEPARATORS)?.length === 1;
  const [open, inner, close] = isWhole ? bracketed.slice(1) : ['', plain, ''];
  const parts = splitTopLevel(inner, SEPARATORS)?.flatMap(bothSigns);
  if (!parts || parts.length > MAX_MEMBERS || (parts.length < 2 && !open.endsWith('{'))) return null;
  const members = parts.map((part) => {
    const text = part.trim().replace(/^[a-zA-Z] ?= ?(?=.)/, '');
    return valueOf(text) ?? infinity(text) ?? listOf(text);
  });
  if (members.some((member) => member === null)) return null;
  const isOrdered = open === '(' || open === '[';
  return { kind: 'list', open, close, isOrdered, members: members as Answer[] };
}

/** `a \pm b` is two numbers. */
function bothSigns(part: string): string[] {
  return /\\pm|±/.test(part) ? ['+', '-'].map((sign) => part.replace(/\\pm|±/, ` ${sign} `)) : [part];
}

/** Split outside brackets; null where they do not match. An interval may open with one kind and close with the other. */
function splitTopLevel(text: string, separators: RegExp): string[] | null {
  const parts: string[] = [];
  const separator = new RegExp(separators.source, 'y');
  let [depth, start] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    if ('([{'.includes(text[i])) depth++;
    else if (')]}'.includes(text[i]) && --depth < 0) return null;
    separator.lastIndex = i;
    if (depth === 0 && separator.test(text)) {
      parts.push(text.slice(start, i));
      start = separator.lastIndex;
      i = start - 1;
    }
  }
  return depth === 0 ? [...parts, text.slice(start)] : null;
}
