// A JSON Schema with the places of its parts, and what its references point to.
import { spend } from '../effort.js';
import { UnsupportedSchemaError } from './unsupported-schema-error.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A schema and the place that it is at. */
export interface LocatedSchema {
  readonly schema: JsonObject | boolean;
  /** A JSON pointer in a fragment. */
  readonly path: string;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Steps of finding a schema's place. */
const STEPS_PER_SCHEMA = 5;

export class SchemaDocument {
  readonly root: LocatedSchema;
  readonly #located = new Map<unknown, LocatedSchema>();
  #anchors: Map<string, LocatedSchema> | null = null;

  constructor(schema: unknown) {
    this.root = this.at(schema, '#', null);
  }

  /**
   * Returns a schema with its place: the same object whenever it is asked for.
   *
   * @throws {UnsupportedSchemaError} where the value is not a schema; the keyword is the one that it belongs to
   */
  at(schema: unknown, path: string, keyword: string | null): LocatedSchema {
    if (typeof schema === 'boolean') return { schema, path };
    if (!isObject(schema))
      throw new UnsupportedSchemaError(keyword, path, 'must be a schema: an object, true or false');
    let located = this.#located.get(schema);
    if (!located) spend(STEPS_PER_SCHEMA);
    if (!located) this.#located.set(schema, (located = { schema, path }));
    return located;
  }

  /**
   * Returns the schema that a reference leads to.
   *
   * @throws {UnsupportedSchemaError} where the reference is to another document, or to nothing
   */
  referred(reference: unknown, path: string): LocatedSchema {
    const fail = (problem: string) =>
      new UnsupportedSchemaError('$ref', path, `is ${JSON.stringify(reference)}: ${problem}`);
    if (typeof reference !== 'string') throw fail('it must be a text');
    const isPlace = reference === '#' || reference.startsWith('#/');
    const named = isPlace ? undefined : this.#anchored().get(reference);
    if (named) return named;
    const { $id, id } = isObject(this.root.schema) ? this.root.schema : {};
    const base = typeof $id === 'string' ? $id : typeof id === 'string' ? id : '';
    const own = reference.startsWith('#') ? reference : withoutBase(reference, base);
    if (own === null) throw fail('references to other documents are not supported; put the schema under $defs');
    if (own === '' || own === '#') return this.root;
    if (!own.startsWith('#/')) throw fail('there is no such anchor');
    let value: unknown = this.root.schema;
    for (const part of own.slice(2).split('/')) {
      const key = unescaped(part);
      const holder = value as Record<string, unknown> | null;
      if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key))
        throw fail('there is nothing at this place');
      value = holder[key];
    }
    return this.at(value, own, '$ref');
  }

  /** Finds schemas by `#name` for an `$anchor`, and by what their `$id` is. */
  #anchored(): Map<string, LocatedSchema> {
    if (this.#anchors) return this.#anchors;
    const anchors = new Map<string, LocatedSchema>();
    const reached: LocatedSchema[] = [this.root];
    for (const { schema, path } of reached) {
      spend(STEPS_PER_SCHEMA);
      if (!isObject(schema)) continue;
      if (typeof schema.$anchor === 'string') anchors.set(`#${schema.$anchor}`, this.at(schema, path, '$anchor'));
      for (const id of [schema.$id, schema.id])
        if (typeof id === 'string' && path !== '#') anchors.set(id, this.at(schema, path, '$id'));
      for (const part of partsOf(schema, path)) reached.push(part);
    }
    return (this.#anchors = anchors);
  }
}

/** Keywords whose value is a schema, a list of schemas, or either. The values of others are data, whatever they look like. */
const HOLDING: readonly string[] = [
  'additionalItems',
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/** Keywords whose value has schemas by names. */
const NAMING: readonly string[] = [
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
];

/** Yields the schemas within one, each at its place. */
function* partsOf(schema: JsonObject, path: string): Iterable<LocatedSchema> {
  for (const keyword of [...HOLDING, ...NAMING]) {
    if (!Object.hasOwn(schema, keyword)) continue;
    const value = schema[keyword];
    const place = `${path}/${keyword}`;
    if (Array.isArray(value)) for (const [i, part] of value.entries()) yield* schemaAt(part, `${place}/${i}`);
    else if (HOLDING.includes(keyword)) yield* schemaAt(value, place);
    else if (isObject(value))
      for (const [name, part] of Object.entries(value)) yield* schemaAt(part, `${place}/${escaped(name)}`);
  }
}

function* schemaAt(value: unknown, path: string): Iterable<LocatedSchema> {
  if (isObject(value)) yield { schema: value, path };
}

/** Returns the fragment of a reference to the document itself by its own address; null where it is to another one. */
function withoutBase(reference: string, base: string): string | null {
  const address = base.replace(/#$/, '');
  const [document, fragment = ''] = reference.split('#', 2);
  return address !== '' && document === address ? `#${fragment}` : null;
}

const unescaped = (part: string): string => {
  let decoded = part;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    // A percent sign of its own.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
};

/** Escapes a key as a part of a JSON pointer. */
export const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
