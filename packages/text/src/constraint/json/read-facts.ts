// Reads the keywords of a JSON Schema that constrain a value directly (`type`, `minLength`, …).
import {
  anything,
  TYPES,
  type ArrayRule,
  type Bound,
  type Contained,
  type Facts,
  type JsonType,
  type ObjectRule,
} from './facts.js';
import { escaped, isObject, type JsonObject, type LocatedSchema, type SchemaDocument } from './schema-document.js';
import { UnsupportedSchemaError } from './unsupported-schema-error.js';

/** The keywords of the standard that are refused, since sampled answers cannot be made to obey them. */
const REFUSED: readonly string[] = ['$dynamicRef', '$recursiveRef'];

/** The keywords that combine schemas, which schema-alternatives.ts reads. */
const COMBINING: readonly string[] = [
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'not',
  'if',
  'unevaluatedProperties',
  'unevaluatedItems',
];

/** Reads the constraints of a schema's own keywords. @throws {UnsupportedSchemaError} */
export function readFacts(document: SchemaDocument, { schema, path }: LocatedSchema): Facts {
  if (typeof schema === 'boolean') return schema ? anything : { ...anything, types: new Set() };
  checkKeywords(schema, path);
  const number = (keyword: string) => optionalNumber(schema, keyword, path);
  const count = (keyword: string, otherwise: number) => optionalCount(schema, keyword, path, otherwise);
  const objects = objectRule(document, schema, path);
  const arrays = arrayRule(document, schema, path);
  return {
    ...anything,
    types: typesOf(schema, path),
    values: valuesOf(schema, path),
    minLength: count('minLength', 0),
    maxLength: count('maxLength', Infinity),
    patterns: schema.pattern === undefined ? [] : [[textOf(schema, 'pattern', path), path]],
    formats: schema.format === undefined ? [] : [[textOf(schema, 'format', path), path]],
    minimum: bound(number('minimum'), schema.exclusiveMinimum, 'exclusiveMinimum', path, -Infinity),
    maximum: bound(number('maximum'), schema.exclusiveMaximum, 'exclusiveMaximum', path, Infinity),
    multiples: multipleOf(number('multipleOf'), path),
    objects: objects ? [objects] : [],
    required: new Set(namesOf(schema.required, 'required', path)),
    names:
      schema.propertyNames === undefined
        ? []
        : [document.at(schema.propertyNames, `${path}/propertyNames`, 'propertyNames')],
    minProperties: count('minProperties', 0),
    maxProperties: count('maxProperties', Infinity),
    arrays: arrays ? [arrays] : [],
    contained: containedIn(document, schema, path),
    minItems: count('minItems', 0),
    maxItems: count('maxItems', Infinity),
    uniqueItems: schema.uniqueItems === true ? path : null,
  };
}

/** Refuses unsupported keywords. Unknown ones are annotations, as in the standard. */
function checkKeywords(schema: JsonObject, path: string): void {
  const refused = REFUSED.find((keyword) => schema[keyword] !== undefined);
  if (refused !== undefined) throw new UnsupportedSchemaError(refused, path, 'is not supported');
  for (const keyword of COMBINING)
    if (schema[keyword] === null) throw new UnsupportedSchemaError(keyword, path, 'must not be null');
}

function typesOf({ type }: JsonObject, path: string): ReadonlySet<JsonType> | null {
  if (type === undefined) return null;
  const types = Array.isArray(type) ? type : [type];
  const unknown = types.find((each) => !TYPES.includes(each as JsonType));
  if (unknown !== undefined)
    throw new UnsupportedSchemaError('type', path, `is ${JSON.stringify(unknown)}; known: ${TYPES.join(', ')}`);
  return new Set(types as JsonType[]);
}

function valuesOf(schema: JsonObject, path: string): readonly unknown[] | null {
  if (schema.enum !== undefined && !Array.isArray(schema.enum))
    throw new UnsupportedSchemaError('enum', path, 'must be a list of values');
  const listed = (schema.enum as unknown[] | undefined) ?? null;
  if (!Object.hasOwn(schema, 'const')) return listed;
  return [schema.const];
}

function objectRule(document: SchemaDocument, schema: JsonObject, path: string): ObjectRule | null {
  const { properties, patternProperties, additionalProperties } = schema;
  if (properties === undefined && patternProperties === undefined && additionalProperties === undefined) return null;
  const entries = (value: unknown, keyword: string) => {
    if (value !== undefined && !isObject(value)) throw new UnsupportedSchemaError(keyword, path, 'must be an object');
    return Object.entries(value ?? {}).map(
      ([name, part]) => [name, document.at(part, `${path}/${keyword}/${escaped(name)}`, keyword)] as const,
    );
  };
  return {
    properties: new Map(entries(properties, 'properties')),
    patterns: entries(patternProperties, 'patternProperties'),
    additional: document.at(additionalProperties ?? true, `${path}/additionalProperties`, 'additionalProperties'),
    saysAdditional: additionalProperties !== undefined,
  };
}

/** Reads the constraints on items. Before draft 2020, `items` may be a list; then `additionalItems` applies to the items after it. */
function arrayRule(document: SchemaDocument, schema: JsonObject, path: string): ArrayRule | null {
  const { items, prefixItems, additionalItems } = schema;
  if (items === undefined && prefixItems === undefined) return null;
  const [keyword, list] = Array.isArray(items) ? ['items', items] : ['prefixItems', prefixItems ?? []];
  if (!Array.isArray(list)) throw new UnsupportedSchemaError(keyword, path, 'must be a list of schemas');
  const [restKeyword, rest] = Array.isArray(items) ? ['additionalItems', additionalItems] : ['items', items];
  return {
    prefix: list.map((part, i) => document.at(part, `${path}/${keyword}/${i}`, keyword)),
    rest: document.at(rest ?? true, `${path}/${restKeyword}`, restKeyword),
    saysRest: rest !== undefined,
  };
}

/** Reads the bounds of the number of items that are valid by `contains`; without that keyword they have no effect. */
function containedIn(document: SchemaDocument, schema: JsonObject, path: string): readonly Contained[] {
  if (schema.contains === undefined) return [];
  const min = optionalCount(schema, 'minContains', path, 1);
  const max = optionalCount(schema, 'maxContains', path, Infinity);
  const contained = document.at(schema.contains, `${path}/contains`, 'contains');
  return min === 0 && max === Infinity ? [] : [{ schema: contained, min, max, path }];
}

/** Reads a bound. `exclusive` is a number, or, before draft 6, a flag that makes the inclusive bound exclusive. */
function bound(inclusive: number | undefined, exclusive: unknown, keyword: string, path: string, none: number): Bound {
  const at = inclusive ?? none;
  if (exclusive === undefined || typeof exclusive === 'boolean') return { at, isExclusive: exclusive === true };
  if (typeof exclusive !== 'number') throw new UnsupportedSchemaError(keyword, path, 'must be a number');
  const isTighter = none < 0 ? exclusive >= at : exclusive <= at;
  return isTighter ? { at: exclusive, isExclusive: true } : { at, isExclusive: false };
}

function optionalNumber(schema: JsonObject, keyword: string, path: string): number | undefined {
  const value = schema[keyword];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new UnsupportedSchemaError(keyword, path, 'must be a number');
  return value;
}

function optionalCount(schema: JsonObject, keyword: string, path: string, otherwise: number): number {
  const value = optionalNumber(schema, keyword, path);
  if (value === undefined) return otherwise;
  if (!Number.isInteger(value) || value < 0)
    throw new UnsupportedSchemaError(keyword, path, 'must be an integer of at least 0');
  return value;
}

function textOf(schema: JsonObject, keyword: string, path: string): string {
  const value = schema[keyword];
  if (typeof value !== 'string') throw new UnsupportedSchemaError(keyword, path, 'must be a text');
  return value;
}

function multipleOf(of: number | undefined, path: string): Facts['multiples'] {
  if (of === undefined) return [];
  if (of <= 0) throw new UnsupportedSchemaError('multipleOf', path, 'must be greater than 0');
  return [[of, path]];
}

/** Reads a list of names. Before draft 4, `required` was a boolean of the property itself, which is ignored. */
function namesOf(value: unknown, keyword: string, path: string): readonly string[] {
  if (value === undefined || typeof value === 'boolean') return [];
  if (!Array.isArray(value) || value.some((name) => typeof name !== 'string'))
    throw new UnsupportedSchemaError(keyword, path, 'must be a list of names');
  return value as string[];
}
