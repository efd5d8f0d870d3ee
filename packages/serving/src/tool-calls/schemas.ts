// Finds the JSON schema of an object's member, and decides whether a schema allows a value. Parsers of tool arguments use both to
// determine the type of a value that is written without quotation marks.
import { isDeepStrictEqual } from 'node:util';
import { GrammarError, hasPattern, readingTogether, SchemaDocument, UnsupportedSchemaError } from '@bowyer/text';

export type Schema = Readonly<Record<string, unknown>>;

const documents = new WeakMap<Schema, SchemaDocument>();

/** Returns the schema to which a `$ref` refers; null if it refers to nothing, or to true or false. */
export function resolved(reference: string, root: Schema | null): Schema | null {
  if (root === null) return null;
  let document = documents.get(root);
  if (document === undefined) documents.set(root, (document = new SchemaDocument(root)));
  try {
    const { root: whole } = document;
    const { schema } = readingTogether(() => document.referred(reference, whole));
    return isSchema(schema) ? schema : null;
  } catch (error) {
    if (error instanceof UnsupportedSchemaError || error instanceof GrammarError) return null;
    throw error;
  }
}

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The most references that are followed within each other. */
const MOST_REFERENCES = 16;

/** All schemas of the member `key`: in `properties`, in referenced schemas, and in `allOf`. */
export const memberSchemas = (schema: unknown, key: string, root: Schema | null): unknown[] =>
  membersOf(schema, { key, root, known: new Map() }, 0);

/** A schema to which others refer many times is visited once. */
interface MemberSearch {
  key: string;
  root: Schema | null;
  known: Map<Schema, unknown[]>;
}

function membersOf(schema: unknown, search: MemberSearch, depth: number): unknown[] {
  if (!isSchema(schema) || depth > MOST_REFERENCES) return [];
  const { key, root, known } = search;
  const before = known.get(schema);
  if (before) return before;
  known.set(schema, []); // a schema that contains itself adds nothing
  const { properties, additionalProperties, $ref: reference, allOf } = schema;
  const parts = [typeof reference === 'string' ? resolved(reference, root) : null, ...listOf(allOf)];
  const found = new Set(parts.flatMap((part) => membersOf(part, search, depth + 1)));
  for (const branches of [schema.anyOf, schema.oneOf]) {
    const ofBranches = listOf(branches).map((branch) => ({ allOf: membersOf(branch, search, depth + 1) }));
    if (ofBranches.length > 0) found.add({ anyOf: ofBranches });
  }
  if (isSchema(properties) && Object.hasOwn(properties, key)) found.add(properties[key]);
  else if (found.size === 0 && isSchema(additionalProperties)) found.add(additionalProperties);
  known.set(schema, [...found]);
  return [...found];
}

/** `types`: only keywords about a value's type; `values`: also those about allowed values. */
export type CheckedKeywords = 'types' | 'values';

/**
 * Checks keywords that distinguish strings from other values: types, enumerations, combinations, references, lengths and patterns
 * of strings, bounds of numbers; not the members of lists and objects.
 */
export const allows = (
  schema: unknown,
  value: unknown,
  root: Schema | null,
  checked: CheckedKeywords = 'values',
): boolean => isAllowed(schema, { value, root, checked, known: new Map(), patterns: MOST_PATTERNS }, 0);

/** The most patterns that a text is compared with. Clients write the patterns; further ones count as matching. */
const MOST_PATTERNS = 16;

/** A schema to which others refer many times is visited once. */
interface Check {
  value: unknown;
  root: Schema | null;
  checked: CheckedKeywords;
  known: Map<Schema, boolean>;
  /** The number of patterns with which the text may still be compared. */
  patterns: number;
}

function isAllowed(schema: unknown, check: Check, depth: number): boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isSchema(schema) || depth > MOST_REFERENCES) return true;
  const known = check.known.get(schema);
  if (known !== undefined) return known;
  check.known.set(schema, true); // a schema that contains itself adds no condition
  const allowed = isAllowedOnce(schema, check, depth);
  check.known.set(schema, allowed);
  return allowed;
}

function isAllowedOnce(schema: Schema, check: Check, depth: number): boolean {
  const { value, root, checked } = check;
  const within = (part: unknown) => isAllowed(part, check, depth + 1);
  const { type, $ref: reference, enum: values } = schema;
  if (value === null && schema.nullable === true) return true; // OpenAPI's keyword
  if (typeof reference === 'string' && !within(resolved(reference, root))) return false;
  if (type !== undefined && ![type].flat().some((each) => isOfType(value, each, checked))) return false;
  if (Array.isArray(values) && !values.some((each) => isOneOf(value, each, checked))) return false;
  if ('const' in schema && !isOneOf(value, schema.const, checked)) return false;
  if (!listOf(schema.allOf).every(within)) return false;
  for (const branches of [schema.anyOf, schema.oneOf].map(listOf))
    if (branches.length > 0 && !branches.some(within)) return false;
  if (checked === 'types') return true;
  return (
    !(schema.not !== undefined && within(schema.not)) && isWithinBounds(schema, value) && hasItsPattern(schema, check)
  );
}

function hasItsPattern({ pattern }: Schema, check: Check): boolean {
  const { value } = check;
  if (typeof pattern !== 'string' || typeof value !== 'string' || --check.patterns < 0) return true;
  return hasPattern(pattern, value) !== false;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function isOfType(value: unknown, type: unknown, checked: CheckedKeywords): boolean {
  if (type === 'integer') return typeof value === 'number' && (checked === 'types' || Number.isInteger(value));
  return typeOf(value) === type;
}

const isOneOf = (value: unknown, listed: unknown, checked: CheckedKeywords): boolean =>
  checked === 'types' ? typeOf(value) === typeOf(listed) : isDeepStrictEqual(value, listed);

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isWithinBounds(schema: Schema, value: unknown): boolean {
  const bound = (key: string, otherwise: number): number => (typeof schema[key] === 'number' ? schema[key] : otherwise);
  if (typeof value === 'string') {
    const length = [...value].length;
    return length >= bound('minLength', 0) && length <= bound('maxLength', Infinity);
  }
  if (typeof value !== 'number') return true;
  const isInside = value >= bound('minimum', -Infinity) && value <= bound('maximum', Infinity);
  return isInside && !(value <= bound('exclusiveMinimum', NaN)) && !(value >= bound('exclusiveMaximum', NaN));
}
