// Translates Oniguruma patterns to JavaScript if every construct has the same meaning in both: V8 is several times faster than
// Oniguruma in WebAssembly (docs/decisions/tokenizers.md).
import type {
  AlternativeElementNode,
  AlternativeNode,
  AssertionNode,
  CharacterClassNode,
  CharacterSetNode,
  GroupNode,
  OnigurumaAst,
  QuantifierNode,
} from 'oniguruma-parser/parser';
import { maximum, mayBeEmpty, simplified } from './effort.js';

/** Thrown for a construct that may have a different meaning in JavaScript; the pattern is then not translated. */
class NotPlain extends Error {}

interface Options {
  ignoreCase?: boolean;
  dotAll?: boolean;
}

/** Translates a pattern for the flags g and u; null if it cannot be translated with the same meaning. */
export function plainPattern({ body }: OnigurumaAst): string | null {
  try {
    return alternatives(body, {});
  } catch (error) {
    if (error instanceof NotPlain) return null;
    throw error;
  }
}

const not = (): never => {
  throw new NotPlain();
};

/**
 * Options such as `(?i)` at the beginning apply to all alternatives; elsewhere they are not translated, since they would begin a
 * group.
 */
function alternatives(body: readonly AlternativeNode[], options: Options): string {
  const [first, ...others] = body[0].body;
  if (first?.type !== 'Directive') return body.map((each) => sequence(each.body, options)).join('|');
  const inner = first.kind === 'flags' ? withFlags(options, first.flags) : not();
  return [others, ...body.slice(1).map((each) => each.body)].map((each) => sequence(each, inner)).join('|');
}

function withFlags(options: Options, { enable = {}, disable = {} }: NonNullable<GroupNode['flags']>): Options {
  const known = ['ignoreCase', 'dotAll', 'extended'];
  if (![...Object.keys(enable), ...Object.keys(disable)].every((flag) => known.includes(flag))) return not();
  const chosen = (flag: keyof Options) => (enable[flag] === true || options[flag] === true) && disable[flag] !== true;
  return { ignoreCase: chosen('ignoreCase'), dotAll: chosen('dotAll') };
}

function sequence(elements: readonly AlternativeElementNode[], options: Options): string {
  elements.forEach((element, i) => {
    if (i > 0 && mayFoldTogether(elements[i - 1], element, options)) not();
  });
  return elements.map((each) => translated(each, options)).join('');
}

/**
 * Whether adjacent elements may match one character: without regard to case, ß equals `ss`, and ligatures such as ﬁ and ﬅ equal
 * two letters.
 */
function mayFoldTogether(before: AlternativeElementNode, after: AlternativeElementNode, { ignoreCase }: Options) {
  const folds = (element: AlternativeElementNode) => ignoreCase === true || hasOwnCase(element);
  const may = (element: AlternativeElementNode, letters: string) =>
    element.type !== 'Character' || letters.includes(String.fromCodePoint(element.value).toLowerCase());
  return folds(before) && folds(after) && may(before, 'sf') && may(after, 'sftil');
}

const hasOwnCase = (element: AlternativeElementNode): boolean => JSON.stringify(element).includes('"ignoreCase"');

function translated(element: AlternativeElementNode, options: Options): string {
  switch (element.type) {
    case 'Character':
      return options.ignoreCase === true ? eitherCase(element.value) : codePoint(element.value);
    case 'CharacterSet':
      return set(element, options);
    case 'CharacterClass':
      return characterClass(element, options);
    case 'Quantifier':
      return quantifier(simplified(element), options);
    case 'Group':
      return element.atomic === true
        ? not()
        : `(?:${alternatives(element.body, withFlags(options, element.flags ?? {}))})`;
    case 'CapturingGroup': // no translated part refers to it
      return `(?:${alternatives(element.body, options)})`;
    case 'LookaroundAssertion': {
      const begin = `(?${element.kind === 'lookbehind' ? '<' : ''}${element.negate ? '!' : '='}`;
      return `${begin}${alternatives(element.body, options)})`;
    }
    case 'Assertion':
      return assertion(element);
    default:
      return not();
  }
}

const codePoint = (value: number): string =>
  /[\p{L}\p{N}]/u.test(String.fromCodePoint(value)) ? String.fromCodePoint(value) : `\\u{${value.toString(16)}}`;

/** Non-ASCII letters are not translated, since they may have more than two cases. */
function eitherCase(value: number): string {
  const char = String.fromCodePoint(value);
  if (value >= 128) return not();
  if (!/[a-z]/i.test(char)) return codePoint(value);
  const further = { k: '\u212a', s: '\u017f' }[char.toLowerCase()] ?? '';
  return `[${char.toLowerCase()}${char.toUpperCase()}${further}]`;
}

/** The content of the class `\w` in Oniguruma, whose table for Latin-1 includes superscripts and fractions. */
const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u00b2\\u00b3\\u00b9\\u00bc-\\u00be';

/** The content of a JavaScript character class for each kind of set in Oniguruma, such as `\d`. */
const SETS: Readonly<Record<string, string>> = {
  digit: '\\p{Nd}',
  space: '\\p{White_Space}',
  word: WORD,
  hex: '0-9A-Fa-f',
};

/** As in Oniguruma 6.9.10. `punct` and `word` are missing, since `[[:name:]]` and `\p{name}` differ for them. */
const POSIX: Readonly<Record<string, string>> = {
  alnum: '\\p{Alphabetic}\\p{Nd}',
  alpha: '\\p{Alphabetic}',
  ascii: '\\u{0}-\\u{7f}',
  blank: '\\p{Zs}\\t',
  cntrl: '\\p{Cc}',
  digit: '\\p{Nd}',
  lower: '\\p{Lowercase}',
  space: '\\p{White_Space}',
  upper: '\\p{Uppercase}',
  xdigit: '0-9A-Fa-f',
};

const CATEGORY = /^(L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?)$/;
const SCRIPT = /^(Arabic|Bopomofo|Cyrillic|Devanagari|Greek|Han|Hangul|Hebrew|Hiragana|Katakana|Latin|Thai)$/;

/** Writes the content of a JavaScript character class for a set such as `\d`, ignoring whether the set is negated. */
function setContent({ kind, value }: CharacterSetNode): string {
  if (kind === 'posix') return POSIX[value] ?? not();
  if (kind !== 'property') return SETS[kind] ?? not();
  return CATEGORY.test(value) ? `\\p{${value}}` : SCRIPT.test(value) ? `\\p{Script=${value}}` : not();
}

/** Writes a negated set inside a character class; this is possible only for a single property. */
function negatedContent(element: CharacterSetNode): string {
  const content = setContent(element);
  return /^\p\{[^}]+\}$/.test(content) ? content.replace('p', 'P') : not();
}

function set(element: CharacterSetNode, { ignoreCase, dotAll }: Options): string {
  if (element.kind === 'dot') return dotAll === true ? '[^]' : '[^\n]';
  if (ignoreCase === true) return not();
  return `[${element.negate === true ? '^' : ''}${setContent(element)}]`;
}

function characterClass(element: CharacterClassNode, { ignoreCase }: Options): string {
  if (ignoreCase === true && (element.negate || element.body.some(({ type }) => type !== 'Character'))) return not();
  const content =
    ignoreCase === true
      ? element.body.map((each) => (each.type === 'Character' ? eitherCase(each.value).replace(/[[\]]/g, '') : not()))
      : classContent(element);
  return `[${element.negate ? '^' : ''}${content.join('')}]`;
}

function classContent({ kind, body }: CharacterClassNode): string[] {
  if (kind !== 'union') return not();
  return body.flatMap((each): string | string[] => {
    switch (each.type) {
      case 'Character':
        return codePoint(each.value);
      case 'CharacterClassRange':
        return `${codePoint(each.min.value)}-${codePoint(each.max.value)}`;
      case 'CharacterSet':
        return each.negate === true ? negatedContent(each) : setContent(each);
      case 'CharacterClass':
        return each.negate ? not() : classContent(each);
    }
  });
}

function quantifier({ body, kind, min, max: most }: QuantifierNode, options: Options): string {
  const max = maximum(most);
  const isOne = ['Character', 'CharacterSet', 'CharacterClass'].includes(body.type);
  const inner = translated(body, options);
  // JavaScript and Oniguruma end repetitions of the empty match differently.
  if (!isOne && (kind === 'possessive' || (max > 1 && mayBeEmpty(body)))) return not();
  if (options.ignoreCase === true && max > 1) return not();
  if (kind === 'possessive') return possessive(inner, min, max);
  const bounds = max === Infinity ? `{${min},}` : `{${min},${max}}`;
  return `${inner.startsWith('(?:') || isOne ? inner : `(?:${inner})`}${bounds}${kind === 'lazy' ? '?' : ''}`;
}

/** Makes repetitions of a class possessive: no further match of the class may follow. */
function possessive(inner: string, min: number, max: number): string {
  if (max === Infinity) return `${inner}{${min},}(?!${inner})`;
  return min === 0 && max === 1 ? `(?:${inner}|(?!${inner}))` : not();
}

/** Translates an assertion. Only U+000A ends a line, and `^` and `$` match at the beginning and end of lines. */
function assertion({ kind, negate }: AssertionNode): string {
  const boundary = (of: string, otherwise: string) => `(?:(?<=[${WORD}])${of}|(?<![${WORD}])${otherwise})`;
  const [touches, ends] = [`(?=[${WORD}])`, `(?![${WORD}])`];
  switch (kind) {
    case 'line_start':
      return '(?:^|(?<=\\n)(?!$))';
    case 'line_end':
      return '(?=\\n|$)';
    case 'string_start':
      return '^';
    case 'string_end':
      return '$';
    case 'string_end_newline':
      return '(?=\\n?$)';
    case 'word_boundary':
      return negate === true ? boundary(touches, ends) : boundary(ends, touches);
    default:
      return not();
  }
}
