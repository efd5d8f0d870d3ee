// Grammars as values: which texts an answer may be. constraint-compiler.ts turns one into masks over a tokenizer's vocabulary.

import { complementOf, unionOf, type CodePointRanges } from './code-points.js';
import { anyText, literal, not, oneAfterTheOther, type Regular } from './regular.js';

/** A set of texts, as the builders below make it. */
export type Grammar =
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
  | { readonly kind: 'token'; readonly id: number }
  | { readonly kind: 'characters'; readonly ranges: CodePointRanges }
  | { readonly kind: 'sequence'; readonly parts: readonly Grammar[] }
  | { readonly kind: 'either'; readonly parts: readonly Grammar[] }
  | { readonly kind: 'repeat'; readonly part: Grammar; readonly min: number; readonly max: number }
  | { readonly kind: 'rule'; readonly body: () => Grammar; readonly isJson: boolean }
  | { readonly kind: 'regular'; readonly expression: Regular; readonly spelling: Spelling };

/** How a regular expression's code points are written: as they are, or as within a string of JSON. */
export type Spelling = 'plain' | 'json';

/** Allows exactly this text. */
export const text = (content: string): Grammar => ({ kind: 'texts', texts: [content] });

/** Allows any one of these texts; without one there are no texts. */
export const oneOfTexts = (texts: readonly string[]): Grammar => ({ kind: 'texts', texts });

/** Allows exactly this token: a special one, which stands for no text. */
export const token = (id: number): Grammar => ({ kind: 'token', id });

/**
 * Allows one code point; halves of surrogate pairs are none.
 *
 * @param ranges from … to …, both included, e.g. `[['a', 'z'], ['_', '_']]`
 * @param negated every code point but these
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

/** Allows the parts' texts one after the other; no part is the empty text. */
export const sequence = (...parts: Grammar[]): Grammar => (parts.length === 1 ? parts[0] : { kind: 'sequence', parts });

/** Allows a text of any of the parts; without a part there are no texts. */
export const either = (...parts: Grammar[]): Grammar => (parts.length === 1 ? parts[0] : { kind: 'either', parts });

/** Allows from `min` to `max` texts of `part`, one after the other. */
export function repeat(part: Grammar, min: number, max = Infinity): Grammar {
  if (!Number.isInteger(min) || min < 0 || max < min || !(Number.isInteger(max) || max === Infinity))
    throw new RangeError(`repeat: from ${min} to ${max} times must be integers, the first at most the second`);
  return { kind: 'repeat', part, min, max };
}

/**
 * Makes a grammar by name: `make` is called once, when the rule is first needed, and may refer to the rule itself, though not at its
 * own beginning. The masks of a rule, and everything else known about it, are kept with it and shared by all grammars that contain it.
 */
export function rule(make: () => Grammar, isJson = false): Grammar {
  let made: Grammar | null = null;
  return { kind: 'rule', body: () => (made ??= make()), isJson };
}

/** Allows the texts of a grammar of JSON in which no object has the same name twice. */
export const distinctNames = (json: Grammar): Grammar => rule(() => json, true);

/** Allows any text, the empty one too, that does not contain `mark`. */
export function textWithout(mark: string): Grammar {
  if (mark === '') throw new RangeError('textWithout: the mark must not be empty; every text contains the empty one');
  return regular(not(oneAfterTheOther(anyText, literal(mark), anyText)));
}

/** Allows the texts of a regular expression, the whole of each. */
export const regular = (expression: Regular, spelling: Spelling = 'plain'): Grammar => ({
  kind: 'regular',
  expression,
  spelling,
});
