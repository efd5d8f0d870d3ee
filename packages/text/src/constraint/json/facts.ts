// Declares facts: the constraints that JSON Schemas place on a value, sorted by types of values.
import { spend } from '../effort.js';
import type { Regular } from '../regular.js';
import type { LocatedSchema } from './schema-document.js';

export const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
export type JsonType = (typeof TYPES)[number];

/** The constraints of one schema on the properties of an object. */
export interface ObjectRule {
  readonly properties: ReadonlyMap<string, LocatedSchema>;
  readonly patterns: readonly (readonly [pattern: string, schema: LocatedSchema])[];
  /** The schema of the properties that the schema neither names nor matches with a pattern. */
  readonly additional: LocatedSchema;
  /** Whether the schema has the keyword `additionalProperties`; without it, `additional` allows everything. */
  readonly saysAdditional: boolean;
  /** Whether this is the rule of a negated schema, which evaluates no property in the sense of `unevaluatedProperties`. */
  readonly isNegated?: boolean;
}

/** The constraints of one schema on the items of an array. */
export interface ArrayRule {
  readonly prefix: readonly LocatedSchema[];
  readonly rest: LocatedSchema;
  /** Whether the schema has a keyword for the items after the prefix (`items` or `additionalItems`). */
  readonly saysRest: boolean;
  readonly isNegated?: boolean;
}

/** A constraint on the number of items that are valid by a schema (`contains`). */
export interface Contained {
  readonly schema: LocatedSchema;
  readonly min: number;
  readonly max: number;
  /** The path of the schema that has this constraint, for error messages. */
  readonly path: string;
}

export interface Bound {
  readonly at: number;
  readonly isExclusive: boolean;
}

/** The constraints on a value: it must have one of the types, and satisfy all constraints for its type. */
export interface Facts {
  /** The allowed types; null: all. `number` includes `integer`. */
  readonly types: ReadonlySet<JsonType> | null;
  /** The only allowed values, if the schema lists them (`enum`, `const`); null if it does not. */
  readonly values: readonly unknown[] | null;
  /** The values that the schemas exclude. */
  readonly excluded: readonly unknown[];
  readonly minLength: number;
  readonly maxLength: number;
  readonly patterns: readonly (readonly [pattern: string, path: string])[];
  readonly formats: readonly (readonly [format: string, path: string])[];
  /** The regular expressions that strings must match. */
  readonly texts: readonly Regular[];
  readonly minimum: Bound;
  readonly maximum: Bound;
  readonly multiples: readonly (readonly [of: number, path: string])[];
  readonly notMultiples: readonly (readonly [of: number, path: string])[];
  readonly objects: readonly ObjectRule[];
  readonly required: ReadonlySet<string>;
  /** The names of properties that an object must not have. */
  readonly forbidden: ReadonlySet<string>;
  readonly names: readonly LocatedSchema[];
  readonly minProperties: number;
  readonly maxProperties: number;
  readonly arrays: readonly ArrayRule[];
  readonly contained: readonly Contained[];
  readonly minItems: number;
  readonly maxItems: number;
  /** The path of the schema that requires unique items, for error messages; null if none does. */
  readonly uniqueItems: string | null;
}

export const anything: Facts = {
  types: null,
  values: null,
  excluded: [],
  minLength: 0,
  maxLength: Infinity,
  patterns: [],
  formats: [],
  texts: [],
  minimum: { at: -Infinity, isExclusive: false },
  maximum: { at: Infinity, isExclusive: false },
  multiples: [],
  notMultiples: [],
  objects: [],
  required: new Set(),
  forbidden: new Set(),
  names: [],
  minProperties: 0,
  maxProperties: Infinity,
  arrays: [],
  contained: [],
  minItems: 0,
  maxItems: Infinity,
  uniqueItems: null,
};

/** Combines the facts of two schemas, both of which a value must satisfy. */
export function bothFacts(a: Facts, b: Facts): Facts {
  if (a === anything) return b;
  if (b === anything) return a;
  spend(sizeOf(a) + sizeOf(b));
  return {
    types: commonTypes(a.types, b.types),
    values: commonValues(a.values, b.values),
    excluded: [...a.excluded, ...b.excluded],
    minLength: Math.max(a.minLength, b.minLength),
    maxLength: Math.min(a.maxLength, b.maxLength),
    patterns: [...a.patterns, ...b.patterns],
    formats: [...a.formats, ...b.formats],
    texts: [...a.texts, ...b.texts],
    minimum: tighter(a.minimum, b.minimum, a.minimum.at > b.minimum.at),
    maximum: tighter(a.maximum, b.maximum, a.maximum.at < b.maximum.at),
    multiples: [...a.multiples, ...b.multiples],
    notMultiples: [...a.notMultiples, ...b.notMultiples],
    objects: [...a.objects, ...b.objects],
    required: new Set([...a.required, ...b.required]),
    forbidden: new Set([...a.forbidden, ...b.forbidden]),
    names: [...a.names, ...b.names],
    minProperties: Math.max(a.minProperties, b.minProperties),
    maxProperties: Math.min(a.maxProperties, b.maxProperties),
    arrays: [...a.arrays, ...b.arrays],
    contained: [...a.contained, ...b.contained],
    minItems: Math.max(a.minItems, b.minItems),
    maxItems: Math.min(a.maxItems, b.maxItems),
    uniqueItems: a.uniqueItems ?? b.uniqueItems,
  };
}

/** Counts the entries that copying the facts copies, which count as steps of work (see effort.ts). */
const sizeOf = ({ required, forbidden, ...facts }: Facts): number =>
  10 +
  Object.values(facts).reduce<number>((sum, each) => sum + (Array.isArray(each) ? each.length : 0), 0) +
  required.size +
  forbidden.size;

/** Compares values: numbers by value (`1` equals `1.0`), objects without regard to the order of keys. */
export function sameValue(a: unknown, b: unknown): boolean {
  spend(1);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return (
    keys.length === others.length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) && sameValue((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}

/** Returns the type of a value, which is `integer` for integers. */
export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}

export const hasType = (types: ReadonlySet<JsonType> | null, type: JsonType): boolean =>
  types === null || types.has(type) || (type === 'integer' && types.has('number'));

/** Returns the types to which at least one of the constraints applies: `minLength` applies to strings, and so on. */
export function typesSpokenOf(facts: Facts): Set<JsonType> {
  const types = new Set<JsonType>();
  if (
    facts.minLength > 0 ||
    facts.maxLength < Infinity ||
    facts.patterns.length + facts.formats.length + facts.texts.length > 0
  )
    types.add('string');
  const { minimum, maximum, multiples, notMultiples } = facts;
  if (minimum.at > -Infinity || maximum.at < Infinity || multiples.length + notMultiples.length > 0)
    types.add('number');
  const { objects, required, names, minProperties, maxProperties, forbidden } = facts;
  if (objects.length + required.size + forbidden.size + names.length + minProperties > 0 || maxProperties < Infinity)
    types.add('object');
  if (
    facts.arrays.length + facts.contained.length + facts.minItems > 0 ||
    facts.maxItems < Infinity ||
    facts.uniqueItems !== null
  )
    types.add('array');
  for (const value of facts.excluded) types.add(typeof value === 'number' ? 'number' : typeOf(value));
  return types;
}

function commonTypes(a: Facts['types'], b: Facts['types']): Facts['types'] {
  if (a === null || b === null) return a ?? b;
  return new Set([...[...a].filter((type) => hasType(b, type)), ...[...b].filter((type) => hasType(a, type))]);
}

function commonValues(a: Facts['values'], b: Facts['values']): Facts['values'] {
  if (a === null || b === null) return a ?? b;
  return a.filter((value) => hasValue(b, value));
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Caches lists in which `hasValue` has searched: scalars, which can be looked up directly, and other members. */
const sorted = new WeakMap<readonly unknown[], { scalars: ReadonlySet<unknown>; others: readonly unknown[] }>();

export function hasValue(values: readonly unknown[], value: unknown): boolean {
  let known = sorted.get(values);
  if (!known) {
    spend(values.length);
    known = { scalars: new Set(values.filter(isScalar)), others: values.filter((each) => !isScalar(each)) };
    sorted.set(values, known);
  }
  spend(1);
  return isScalar(value) ? known.scalars.has(value) : known.others.some((other) => sameValue(value, other));
}

function tighter(a: Bound, b: Bound, takesFirst: boolean): Bound {
  if (a.at === b.at) return { at: a.at, isExclusive: a.isExclusive || b.isExclusive };
  return takesFirst ? a : b;
}
