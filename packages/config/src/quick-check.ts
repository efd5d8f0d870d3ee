// Checks whether a value fits a JSON Schema: yes, no, or "ask ajv". Importing ajv takes longer than the rest of `--cfg job`, so a
// valid config, the usual case, is checked without it.
import type { JsonSchema } from './json-schema.js';

const undecidable = new Set([
  'multipleOf',
  'contains',
  'minContains',
  'maxContains',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'prefixItems',
  'additionalItems',
  'discriminator',
  'nullable',
  '$id',
  'id',
  '$anchor',
  '$dynamicRef',
  '$recursiveRef',
]);

class Undecided extends Error {}

/** Checks a value against the schema without ajv. Undefined if the schema uses keywords that only ajv checks. */
export function quickCheck(schema: JsonSchema, value: unknown): boolean | undefined {
  try {
    return fits(schema, value, schema);
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

function fits(schema: unknown, value: unknown, root: JsonSchema): boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema)) throw new Undecided();
  for (const keyword in schema) if (undecidable.has(keyword)) throw new Undecided();
  const { $ref: reference, type, enum: options } = schema;
  if (reference !== undefined && !fits(target(reference, root), value, root)) return false;
  if (type !== undefined && !asList(type).some((name) => isOfType(value, name))) return false;
  if (options !== undefined && !asList(options).some((option) => equals(option, value))) return false;
  if ('const' in schema && !equals(schema.const, value)) return false;
  return fitsKind(schema, value, root) && fitsCombination(schema, value, root);
}

function fitsKind(schema: JsonSchema, value: unknown, root: JsonSchema): boolean {
  if (typeof value === 'number') return fitsNumber(schema, value);
  if (typeof value === 'string') {
    const { minLength = 0, maxLength = Infinity, pattern } = schema as Record<string, number> & { pattern?: string };
    const length = Array.from(value).length;
    return length >= minLength && length <= maxLength && (!pattern || new RegExp(pattern, 'u').test(value));
  }
  if (Array.isArray(value)) return fitsArray(schema, value, root);
  return !isObject(value) || fitsObject(schema, value, root);
}

function fitsNumber(schema: JsonSchema, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Record<string, number | undefined>;
  // NaN is outside every limit, as in ajv.
  return (
    (minimum === undefined || value >= minimum) &&
    (maximum === undefined || value <= maximum) &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (exclusiveMaximum === undefined || value < exclusiveMaximum)
  );
}

function fitsArray(
  { items, minItems = 0, maxItems = Infinity, uniqueItems }: JsonSchema,
  value: unknown[],
  root: JsonSchema,
): boolean {
  if (Array.isArray(items)) throw new Undecided();
  if (value.length < (minItems as number) || value.length > (maxItems as number)) return false;
  if (uniqueItems === true && value.some((item, index) => value.slice(0, index).some((other) => equals(other, item))))
    return false;
  return items === undefined || value.every((item) => fits(items, item, root));
}

function fitsObject(schema: JsonSchema, value: JsonSchema, root: JsonSchema): boolean {
  const {
    properties = {},
    patternProperties = {},
    additionalProperties = true,
    required = [],
  } = schema as {
    properties?: JsonSchema;
    patternProperties?: JsonSchema;
    additionalProperties?: unknown;
    required?: string[];
  };
  if (required.some((key) => !Object.hasOwn(value, key))) return false;
  const patterns = Object.entries(patternProperties).map(([pattern, part]) => ({
    pattern: new RegExp(pattern, 'u'),
    part,
  }));
  return Object.entries(value).every(([key, item]) => {
    const parts = patterns.filter(({ pattern }) => pattern.test(key)).map(({ part }) => part);
    if (Object.hasOwn(properties, key)) parts.push(properties[key]);
    return (parts.length === 0 ? [additionalProperties] : parts).every((part) => fits(part, item, root));
  });
}

function fitsCombination(schema: JsonSchema, value: unknown, root: JsonSchema): boolean {
  const { allOf, anyOf, oneOf, not, if: condition, then = true, else: otherwise = true } = schema;
  const count = (parts: unknown) => asList(parts).filter((part) => fits(part, value, root)).length;
  return (
    (allOf === undefined || count(allOf) === asList(allOf).length) &&
    (anyOf === undefined || asList(anyOf).some((part) => fits(part, value, root))) &&
    (oneOf === undefined || count(oneOf) === 1) &&
    (not === undefined || !fits(not, value, root)) &&
    (condition === undefined || fits(fits(condition, value, root) ? then : otherwise, value, root))
  );
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value) || Math.abs(value as number) === Infinity; // as in ajv, infinity is an integer
    default:
      return typeof value === type;
  }
}

function equals(a: unknown, b: unknown): boolean {
  if (typeof a === 'object' && a !== null && typeof b === 'object' && b !== null) throw new Undecided();
  return a === b;
}

function target(reference: unknown, root: JsonSchema): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#')) throw new Undecided();
  const keys = reference
    .split('/')
    .slice(1)
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), root);
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
