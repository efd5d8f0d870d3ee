// Computes the facts (constraints) of the values that are invalid by a schema, for the keyword `not`.
import { not } from '../regular.js';
import { anything, hasType, TYPES, type Facts, type JsonType } from './facts.js';
import { formatExpression } from './formats.js';
import type { LocatedSchema } from './schema-document.js';
import { patternExpression } from './string-expressions.js';

interface Violations {
  /** The alternatives: each describes the values that violate one constraint of the schema. */
  readonly alternatives: readonly Facts[];
  /** The keywords whose violations facts cannot express; values that violate only these are missing. */
  readonly left: readonly string[];
}

/**
 * Each alternative violates one constraint of the schema, without its keywords that combine schemas. If `left` is not empty, some
 * invalid values are missing. `negated` returns the schema of all values that are invalid by another one.
 */
export function violations(facts: Facts, negated: (schema: LocatedSchema) => LocatedSchema): Violations {
  const left: string[] = [];
  const alternatives = facts.types ? ofOtherTypes(facts.types) : [];
  const add = (type: JsonType, demands: Partial<Facts>) =>
    alternatives.push({ ...anything, types: new Set([type]), ...demands });
  if (facts.values) alternatives.push({ ...anything, excluded: facts.values });
  // The grammar cannot express that an object or array differs from one constant, so this keyword's violations are missing.
  if (facts.values?.some((value) => typeof value === 'object' && value !== null)) left.push('const');
  if (facts.excluded.length > 0) alternatives.push({ ...anything, values: facts.excluded });
  addTexts(facts, add, left);
  addNumbers(facts, add);
  addObjects(facts, add, negated, left);
  addArrays(facts, add, negated, left);
  return { alternatives, left };
}

type Add = (type: JsonType, demands: Partial<Facts>) => void;

function ofOtherTypes(types: NonNullable<Facts['types']>): Facts[] {
  const others = TYPES.filter((type) => !hasType(types, type));
  const isFraction = types.has('integer') && !types.has('number');
  const whole = others.filter((type) => type !== 'number' || !isFraction);
  return [
    ...(whole.length > 0 ? [{ ...anything, types: new Set(whole) }] : []),
    ...(isFraction ? [{ ...anything, types: new Set<JsonType>(['number']), notMultiples: [[1, '#'] as const] }] : []),
  ];
}

function addTexts({ minLength, maxLength, patterns, formats, texts }: Facts, add: Add, left: string[]): void {
  if (minLength > 0) add('string', { maxLength: minLength - 1 });
  if (maxLength < Infinity) add('string', { minLength: maxLength + 1 });
  for (const [pattern, path] of patterns) add('string', { texts: [not(patternExpression(pattern, path, 'pattern'))] });
  for (const text of texts) add('string', { texts: [not(text)] });
  // A format's expression matches only a subset of the format, so a text outside it may still be valid.
  for (const [format] of formats) if (formatExpression(format) !== null) left.push('format');
}

function addNumbers({ minimum, maximum, multiples, notMultiples }: Facts, add: Add): void {
  if (minimum.at > -Infinity) add('number', { maximum: { at: minimum.at, isExclusive: !minimum.isExclusive } });
  if (maximum.at < Infinity) add('number', { minimum: { at: maximum.at, isExclusive: !maximum.isExclusive } });
  for (const multiple of multiples) add('number', { notMultiples: [multiple] });
  for (const multiple of notMultiples) add('number', { multiples: [multiple] });
}

const everything: LocatedSchema = { schema: true, path: '#' };
const isOpen = ({ schema }: LocatedSchema): boolean => schema === true;

function addObjects(
  { objects, required, forbidden, names, minProperties, maxProperties }: Facts,
  add: Add,
  negated: (schema: LocatedSchema) => LocatedSchema,
  left: string[],
): void {
  for (const { properties, patterns, additional } of objects) {
    for (const [name, schema] of properties) {
      if (isOpen(schema)) continue;
      const rule = { properties: new Map([[name, negated(schema)]]), patterns: [], additional: everything };
      add('object', { required: new Set([name]), objects: [{ ...rule, saysAdditional: false }] });
    }
    if (patterns.some(([, schema]) => !isOpen(schema))) left.push('patternProperties');
    if (!isOpen(additional)) left.push('additionalProperties');
  }
  for (const name of required) add('object', { forbidden: new Set([name]) });
  for (const name of forbidden) add('object', { required: new Set([name]) });
  if (names.some((schema) => !isOpen(schema))) left.push('propertyNames');
  if (minProperties > 0) add('object', { maxProperties: minProperties - 1 });
  if (maxProperties < Infinity) add('object', { minProperties: maxProperties + 1 });
}

function addArrays(
  { arrays, minItems, maxItems, uniqueItems, contained }: Facts,
  add: Add,
  negated: (schema: LocatedSchema) => LocatedSchema,
  left: string[],
): void {
  for (const { prefix, rest } of arrays)
    for (const [index, schema] of [...prefix, rest].entries()) {
      if (isOpen(schema)) continue;
      const before = Array.from({ length: index }, () => everything);
      // After the prefix, only the first item is made invalid; texts in which a later one is are missing.
      if (index === prefix.length) left.push('items');
      const rule = { prefix: [...before, negated(schema)], rest: everything, saysRest: false };
      add('array', { minItems: index + 1, arrays: [rule] });
    }
  if (minItems > 0) add('array', { maxItems: minItems - 1 });
  if (maxItems < Infinity) add('array', { minItems: maxItems + 1 });
  if (uniqueItems !== null) left.push('uniqueItems');
  for (const { schema, min, max, path } of contained) {
    if (min > 0) add('array', { contained: [{ schema, min: 0, max: min - 1, path }] });
    if (max < Infinity) add('array', { contained: [{ schema, min: max + 1, max: Infinity, path }] });
  }
}
