// Handles words in math answers: words of scale (million), nouns for what is counted, and answers that are words.
import { Fraction } from '../fraction.js';
import { plainCharacters } from './characters.js';

const scales: Readonly<Record<string, number>> = {
  hundred: 100,
  thousand: 1000,
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
  dozen: 12,
  hundreds: 100,
  thousands: 1000,
  millions: 1e6,
  billions: 1e9,
  trillions: 1e12,
  dozens: 12,
  lakh: 1e5,
  crore: 1e7,
};

/** Returns the number for which a word of scale stands, such as 10⁶ for `million`; null for other words. */
export function scaleOf(word: string): Fraction | null {
  const lower = word.toLowerCase();
  return Object.hasOwn(scales, lower) ? Fraction.of(BigInt(scales[lower])) : null;
}

const emptyWords: ReadonlySet<string> = new Set(
  'in total all the a an each altogether are is there about to on'.split(' '),
);

/** Words between two nouns that must not be swapped, as in boys per girl or slices of pizza. */
const betweenWords: ReadonlySet<string> = new Set('per for of from'.split(' '));
const BETWEEN = '|';

/** Words that may be missing in an answer, but must not be replaced by their opposites. */
const looseWords: ReadonlySet<string> = new Set('left more remaining'.split(' '));

const opposites: readonly (readonly [string, string])[] = [
  ['left', 'right'],
  ['more', 'less'],
  ['more', 'fewer'],
];

const singular = (word: string) =>
  word
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/(?<=(?:s|x|ch|sh))es$|(?<=[^s])s$/, '');

/** Returns the nouns in the singular and without filler words; a word such as `per` becomes the separator `|`. */
export const nounOf = (words: readonly string[]): string[] =>
  words
    .map(singular)
    .filter((word) => !emptyWords.has(word))
    .map((word) => (betweenWords.has(word) ? BETWEEN : word));

/** Returns the label of a list's member from the nouns after its number; empty if there is no noun. */
export const labelOfNoun = (noun: readonly string[]): string =>
  noun.filter((word) => word !== BETWEEN && !looseWords.has(word)).join(' ');

/** Returns whether two noun phrases may name the same things: all words of one are in the other, as for apples and red apples. */
export function isSameNoun(a: readonly string[], b: readonly string[]): boolean {
  if (areOpposite(a, b) || areOpposite(b, a)) return false;
  const [things, others] = [thingsOf(a), thingsOf(b)];
  return things.every((thing, i) => others[i] === undefined || isSameThing(thing, others[i]));
}

const areOpposite = (a: readonly string[], b: readonly string[]): boolean =>
  opposites.some(([word, opposite]) => a.includes(word) && b.includes(opposite));

function thingsOf(noun: readonly string[]): string[][] {
  const things: string[][] = [[]];
  for (const word of noun)
    if (word === BETWEEN) things.push([]);
    else if (!looseWords.has(word)) things.at(-1)!.push(word);
  return things;
}

function isSameThing(a: readonly string[], b: readonly string[]): boolean {
  const [few, many] = a.length <= b.length ? [a, b] : [b, a];
  return few.every((word) => many.includes(word));
}

/** Words of two or three letters. Other runs of so few letters are products of variables. */
const shortWords: ReadonlySet<string> = new Set(
  (
    'yes no not odd off on up red all one two six ten boy girl cat dog cow pig hen low hot dry wet big old new day man men sum max min ' +
    'mod cup bus car air sea son mom dad none at be we us an as is it if in so to go do he me my by of am pm jan feb mar apr may jun ' +
    'jul aug sep sept oct nov dec mon tue wed thu fri sat sun bob amy tom ann sam joe ben dan tim jim kim sue eve ian leo mia zoe ray ' +
    'roy ali ava eli guy ned pat rob ron ted jon jen lee liz meg mya nia the and or nor but via out low top yay nay tie win her his get got has had can let see was are use now then'
  ).split(' '),
);

/** Matches runs of four or more letters that are products of variables: abcd, wxyz. */
const LONG_PRODUCT = /^(?:[abcd]{4}|[p-s]{4}|[u-z]{4,6})$/;

/** Returns whether a run of letters is too long to be a product of variables, so that it is a word. */
export const isLongWord = (text: string): boolean => text.length > 3 && !LONG_PRODUCT.test(text);

/** Returns whether two successive runs of letters are words of a sentence, such as `we get`, and not variables, such as `x y`. */
export const areWords = (a: string, b: string): boolean =>
  (a.length > 1 && b.length > 1) || [a, b].some((text) => text.length > 2 && shortWords.has(text.toLowerCase()));

/** Returns whether a run of letters is a word and not a product of variables. */
export const isWord = (text: string): boolean =>
  isLongWord(text) || shortWords.has(text.toLowerCase()) || /^\p{Lu}\p{Ll}{2,}$/u.test(text);

const FONTS = /\\(?:text|mbox|textbf|textit|textrm|textnormal|mathrm|mathbf|operatorname\*?) ?\{([^{}]*)\}/g;

/** Normalises the text of an answer that consists of words, or of mathematics that cannot be parsed, for comparison. */
export function plainWords(text: string): string {
  return plainCharacters(text)
    .replace(/\\(?:left|right|displaystyle|limits)(?![a-zA-Z])/g, '')
    .replace(/\\[,;:! ]|~|\\q?quad(?![a-zA-Z])/g, ' ')
    .replace(/(?<!\\)\\[()[\]]|\$/g, '')
    .replace(FONTS, ' $1 ')
    .replace(/\\([%&#_])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<=.)[.;]$/, '')
    .toLowerCase()
    .replace(/^\((.*)\)$/, '$1')
    .replace(/_\{(\w+)\}/g, '_$1')
    .replace(/ ?([^\w ]) ?/g, '$1')
    .trim();
}

/** Returns the letter of a multiple-choice answer such as (B), B. or B), with or without the choice's text; else null. */
export function choiceLetter(text: string): string | null {
  const plain = plainCharacters(text).replace(FONTS, '$1').replace(/[$\\]/g, '').trim();
  const choice = /^(?:(?:option|choice|answer) )?(?:\(([A-J])\)|([A-J])[.):])(?:$|[ .])/i.exec(plain);
  return choice === null ? null : (choice[1] ?? choice[2]).toLowerCase();
}
