// Expressions of Python's `re`, as adapter_config.json has them, in Oniguruma's syntax: which has all that Python has, under
// other names. Groups that Python numbers are named here, since Oniguruma does not number any beside named ones.
// Source: https://docs.python.org/3/library/re.html, as Python 3.11 to 3.13 read them.
import { compileRegex, PatternError } from '@bowyer/text';

/** The expression is not one of Python's, or has a part that is not translated. */
class NotTranslated extends Error {}

/** Python's `re.fullmatch`. */
export const fullMatcher = (pattern: string, place: string) => matcher(pattern, place, pattern, '\\z');

/** PEFT's match of the keys of rank_pattern and alpha_pattern: a module's name, or the end of its path. */
export const endMatcher = (pattern: string, place: string) => matcher(pattern, place, `(.*\\.)?(${pattern})$`, '');

function matcher(shown: string, place: string, pattern: string, end: string): (text: string) => boolean {
  const { flags, body } = translate(
    pattern,
    (problem) => new PatternError(place, `cannot be used (${problem})`, shown),
  );
  const options = flags === '' ? '' : `(?${flags})`;
  const matches = compileRegex(`${options}\\A(?:${body})${end}`, place, shown);
  return (text) => [...matches(text)].length > 0;
}

interface Translated {
  /** Oniguruma's letters of the options for the whole expression. */
  flags: string;
  body: string;
}

/** Letters after a backslash that mean the same, those that differ, and all others, which Python refuses. */
const ESCAPES: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'bBdDsSwWafnrtvxu'].map((letter) => [letter, `\\${letter}`])),
  A: '\\A',
  Z: '\\z',
};

const GLOBAL_FLAGS = /^\(\?([aiLmsux]+)\)/;
const PART = new RegExp(
  [
    String.raw`\\U[0-9a-fA-F]{8}|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[0-3][0-7]{2}|\\0[0-7]?|\\[1-9]\d?|\\[^]`,
    String.raw`\[\^?\]?(?:\\[^]|[^\]\\])*\]`,
    String.raw`\(\?P<\w+>|\(\?P=\w+\)|\(\?#[^)]*\)|\(\?\(\w+\)|\(\?[aiLmsux]*(?:-[imsx]+)?[:)]|\(\?(?:[:=!>]|<[=!])|\(\?`,
    String.raw`\{(?:\d+,?\d*|,\d+)\}\+?|[^]`,
  ].join('|'),
  'uy',
);

function translate(pattern: string, failed: (problem: string) => Error): Translated {
  try {
    return translated(pattern);
  } catch (error) {
    throw error instanceof NotTranslated ? failed(error.message) : error;
  }
}

function translated(pattern: string): Translated {
  const given = GLOBAL_FLAGS.exec(pattern)?.[1] ?? '';
  const all = partsOf(pattern.slice(given === '' ? 0 : given.length + 3));
  const parts = given.includes('x') ? withoutComments(all) : all;
  if (hasRepeatedRepeat(parts)) return refuse('it repeats a repetition');
  const names = groupNames(parts);
  const isMultiline = given.includes('m');
  let body = '';
  let opened = 0;
  for (const part of parts) {
    if (part === '(' || part.startsWith('(?P<')) body += `(?<${names[opened++]}>`;
    else if (part === '^') body += isMultiline ? '(?:\\A|(?<=\\n))' : '\\A';
    else if (part === '$') body += isMultiline ? '(?=\\n|\\z)' : '\\Z';
    else body += translatedPart(part, names);
  }
  return { flags: onigurumaFlags(given), body };
}

function partsOf(pattern: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < pattern.length; at += parts.at(-1)!.length) {
    PART.lastIndex = at;
    parts.push(PART.exec(pattern)![0]);
  }
  return parts;
}

/** A repetition may have `?` or `+` behind it, and no more. */
function hasRepeatedRepeat(parts: readonly string[]): boolean {
  const repeats = parts
    .map((part) => (/^(?:[*+?]|\{[\d,]+\})$/.test(part) ? (/[?+]/.test(part) ? 'm' : 'r') : '-'))
    .join('');
  return /[rm]r|[rm]m[rm]/.test(repeats);
}

/** A verbose expression ignores white space outside of classes. */
function withoutComments(parts: readonly string[]): string[] {
  let isComment = false;
  return parts.filter((part) => {
    if (part === '#') isComment = true;
    const isIdle = isComment || /^\s$/.test(part);
    if (part === '\n') isComment = false;
    return !isIdle;
  });
}

/** The names of all groups that Python numbers, in their order. */
const groupNames = (parts: readonly string[]): string[] =>
  parts
    .filter((part) => part === '(' || part.startsWith('(?P<'))
    .map((part, i) => (part === '(' ? `g${i + 1}_` : part.slice(4, -1)));

function translatedPart(part: string, names: readonly string[]): string {
  if (part.startsWith('\\')) return escaped(part, names);
  if (part.startsWith('[') && part.length > 1) return characterClass(part);
  if (part.startsWith('(?#')) return '';
  if (part.startsWith('(?P=')) return `\\k<${checkedName(part.slice(4, -1), names)}>`;
  if (part.startsWith('(?(')) return `(?(<${checkedName(part.slice(3, -1), names)}>)`;
  if (/^\(\?(?:[:=!>]|<[=!])$/.test(part)) return part;
  if (part.startsWith('(?')) return flagGroup(part);
  if (part.endsWith('}+')) return refuse(`${part} is possessive in Python, which is not translated`);
  return part;
}

function refuse(problem: string): never {
  throw new NotTranslated(problem);
}

function escaped(part: string, names: readonly string[]): string {
  const [, char] = part;
  if (/^\\(?:0|[0-3][0-7]{2})/.test(part)) return codePoint(Number.parseInt(part.slice(1), 8));
  if (/[1-9]/.test(char)) return `\\k<${checkedName(part.slice(1), names)}>`;
  if (char === 'U') return part.length > 2 ? codePoint(Number.parseInt(part.slice(2), 16)) : refuse('\\U has no code');
  if (!/[a-z]/i.test(char)) return part;
  if (/[xu]/.test(char) && part.length === 2) return refuse(`${part} has no code`);
  return ESCAPES[char] === undefined
    ? refuse(`it has the escape ${part}, which Python does not have`)
    : ESCAPES[char] + part.slice(2);
}

const codePoint = (code: number) => `\\x{${code.toString(16)}}`;

/** By its number or its own name. */
function checkedName(group: string, names: readonly string[]): string {
  const name = /^\d+$/.test(group) ? names[Number(group) - 1] : names.find((each) => each === group);
  return name ?? refuse(`it refers to the group ${group}, which it does not have`);
}

/** `[`, `&&` and `[:alpha:]` have no meaning in Python's classes, and `]` is a character where it is the first. */
function characterClass(part: string): string {
  const begin = part.startsWith('[^') ? '[^' : '[';
  const content = part.slice(begin.length, -1).replace(/\\[^]|^\]|[[&]/g, (found) => {
    if (!found.startsWith('\\')) return `\\${found}`;
    return found === '\\b'
      ? '\\x08'
      : /[a-z]/i.test(found[1]) && !/[dDsSwWafnrtvxu]/.test(found[1])
        ? refuse(`it has the escape ${found} in a class`)
        : found;
  });
  return `${begin}${content}]`;
}

/** `(?i:` and its like; flags for the whole expression are at its beginning alone. */
function flagGroup(part: string): string {
  if (part.endsWith(')')) return refuse(`the flags ${part} are not at its start`);
  const [on, off = ''] = part.slice(2, -1).split('-');
  if (part === '(?' || /[mLx]/.test(on + off)) return refuse(`it has ${part}, which is not translated`);
  const flags = `${onigurumaFlags(on)}${off === '' ? '' : `-${onigurumaFlags(off)}`}`;
  return flags === '' ? '(?:' : `(?${flags}:`;
}

/** `s` is Oniguruma's `m`. Names of modules are ASCII: `a` and `u` change nothing. */
function onigurumaFlags(flags: string): string {
  if (flags.includes('L')) return refuse('the flag L is for bytes alone');
  return [...new Set(flags)]
    .filter((flag) => 'is'.includes(flag))
    .map((flag) => (flag === 's' ? 'm' : flag))
    .join('');
}
