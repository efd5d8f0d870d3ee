// Makes grammars of values without a schema, up to a nesting depth. All grammars share these rules and their token masks.
import { characters, either, regular, repeat, rule, sequence, text, type Grammar } from '../grammar.js';
import { anyText } from '../regular.js';
import { anything } from './facts.js';
import { numberExpression } from './number-expressions.js';

/** The white space that a JSON text may have after commas and colons. */
export interface Spacing {
  readonly comma: Grammar;
  readonly afterColon: Grammar;
}

const optionalSpace = repeat(characters([[' ', ' ']]), 0, 1);
const spaced: Spacing = { comma: sequence(text(','), optionalSpace), afterColon: optionalSpace };
const compact: Spacing = { comma: text(','), afterColon: sequence() };

export const spacing = (isCompact: boolean): Spacing => (isCompact ? compact : spaced);

export const anyString = rule(() => sequence(text('"'), regular(anyText, 'json'), text('"')));
export const anyInteger = rule(() => regular(numberExpression(anything, true)));
export const anyNumber = rule(() => regular(numberExpression(anything, false)));
export const anyBoolean = either(text('true'), text('false'));

/** The most levels of objects and arrays in a value without a schema. */
const DEPTH = 16;

const levels = new Map<Spacing, Map<number, FreeValues>>();

interface FreeValues {
  readonly value: Grammar;
  readonly object: Grammar;
  readonly array: Grammar;
}

/** Returns grammars of values with at most `depth` levels of objects and arrays. */
export function freeValues(spaces: Spacing, depth = DEPTH): FreeValues {
  const known = levels.get(spaces) ?? new Map<number, FreeValues>();
  levels.set(spaces, known);
  let values = known.get(depth);
  if (!values) known.set(depth, (values = valuesWithin(spaces, depth)));
  return values;
}

function valuesWithin(spaces: Spacing, depth: number): FreeValues {
  const inner = () => freeValues(spaces, depth - 1).value;
  const member = rule(() => sequence(anyString, text(':'), spaces.afterColon, inner()));
  const object = rule(() => sequence(text('{'), listOf(member, spaces.comma, 0, Infinity), text('}')));
  const array = rule(() => sequence(text('['), listOf(rule(inner), spaces.comma, 0, Infinity), text(']')));
  const scalars = [anyString, anyNumber, anyBoolean, text('null')];
  return { value: either(...scalars, ...(depth > 0 ? [object, array] : [])), object, array };
}

export function listOf(part: Grammar, separator: Grammar, min: number, max: number): Grammar {
  if (max === 0) return sequence();
  const some = sequence(part, repeat(sequence(separator, part), Math.max(0, min - 1), max - 1));
  return min === 0 ? either(sequence(), some) : some;
}
