// Declares grammars as values, which describe the texts that a sampled answer may be.

import { complementOf, unionOf, type CodePointRanges } from './code-points.js';
import { anyText, literal, not, oneAfterTheOther, type Regular } from './regular.js';

/** A grammar: a set of texts that an answer may be, made by the functions below. */
export type Grammar =
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
  | { readonly kind: 'token'; readonly id: number }
  | { readonly kind: 'characters'; readonly ranges: CodePointRanges }
  | { readonly kind: 'sequence'; readonly parts: readonly Grammar[] }
  | { readonly kind: 'either'; readonly parts: readonly Grammar[] }
  | { readonly kind: 'repeat'; readonly part: Grammar; readonly min: number; readonly max: number }
  | { readonly kind: 'rule'; readonly body: () => Grammar; readonly isJson: boolean; readonly isDistinct: boolean }
  | { readonly kind: 'regular'; readonly expression: Regular; readonly spelling: Spelling };

/** How code points are written in the answer: as they are, or escaped as in a JSON string. */
export type Spelling = 'plain' | 'json';

/** Allows exactly this text. */
export const text = (content: string): Grammar => ({ kind: 'texts', texts: [content] });

/** Allows any one of these texts; if there are none, no text is allowed. */
export const oneOfTexts = (texts: readonly string[]): Grammar => ({ kind: 'texts', texts });

/** Allows exactly this token, a special token without text. */
export const token = (id: number): Grammar => ({ kind: 'token', id });

/**
 * Allows one code point, but no surrogates. `ranges`: pairs, both included, e.g. `[['a', 'z'], ['_', '_']]`.
 *
 * @param negated whether all other code points are allowed instead
 */
export function characters(ranges: readonly (readonly [from: string, to: string])[], negated = false): Grammar {
  const points = unionOf(ranges.map(([from, to]) => [codePoint(from), codePoint(to)] as const));
  return { kind: 'characters', ranges: negated ? complementOf(points) : complementOf(complementOf(points)) };
}

function codePoint(character: string): number {
  const point = character.codePointAt(0);
  if (point === undefined || character.length !== String.fromCodePoint(point).length)
    throw new RangeError(`characters: ${JSON.stringify(character)} must be one code point`);
  return point;
}

/** Allows the texts of the parts in sequence; without parts, the empty text. */
export const sequence = (...parts: Grammar[]): Grammar => (parts.length === 1 ? parts[0] : { kind: 'sequence', parts });

/** Allows a text of any of the parts; without parts, no text. */
export const either = (...parts: Grammar[]): Grammar => (parts.length === 1 ? parts[0] : { kind: 'either', parts });

/** Allows `min` to `max` texts of `part` in sequence. */
export function repeat(part: Grammar, min: number, max = Infinity): Grammar {
  if (!Number.isInteger(min) || min < 0 || max < min || !(Number.isInteger(max) || max === Infinity))
    throw new RangeError(`repeat: from ${min} to ${max} times must be integers, the first at most the second`);
  return { kind: 'repeat', part, min, max };
}

/**
 * `make` is called once, when the rule is first needed, and may refer to the rule itself, but not at the beginning of its texts.
 * Token masks are cached with the rule, and shared by all grammars that contain it.
 */
export function rule(make: () => Grammar, { isJson = false, isDistinct = false } = {}): Grammar {
  let made: Grammar | null = null;
  return { kind: 'rule', body: () => (made ??= make()), isJson, isDistinct };
}

/** Allows the texts of a JSON grammar in which no object has the same name twice. */
export const distinctNames = (json: Grammar): Grammar => rule(() => json, { isJson: true });

/** Arrays of strings in which no string occurs twice. Must be part of a grammar in `distinctNames`, which keeps track of them. */
export const distinctStrings = (array: Grammar): Grammar => rule(() => array, { isDistinct: true });

/** Allows any text that does not contain `mark`, including the empty text. */
export function textWithout(mark: string): Grammar {
  if (mark === '') throw new RangeError('textWithout: the mark must not be empty; every text contains the empty one');
  return regular(not(oneAfterTheOther(anyText, literal(mark), anyText)));
}

/** Allows the texts that a regular expression matches as a whole. */
export const regular = (expression: Regular, spelling: Spelling = 'plain'): Grammar => ({
  kind: 'regular',
  expression,
  spelling,
});
