// Holds a JSON Schema as a document: locates the schemas inside it by their paths, and resolves references (`$ref`) to them.
import { spend } from '../effort.js';
import { UnsupportedSchemaError } from './unsupported-schema-error.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON Schema, and its path in the document for error messages. */
export interface LocatedSchema {
  readonly schema: JsonObject | boolean;
  /** The path as a JSON pointer in a URI fragment: `#/properties/name`. */
  readonly path: string;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The number of steps of work (see effort.ts) that are counted for locating a schema. */
const STEPS_PER_SCHEMA = 5;

/** The steps of work that searching a schema for identifiers (`$id`, `$anchor`) counts. */
const STEPS_PER_VISIT = 2;

/** The number of characters of a URI whose resolution counts as one step of work. */
const CHARACTERS_PER_STEP = 16;

/** The base URI against which the document's own identifier, if it has one, is resolved. */
const NO_ADDRESS = 'json-schema:///';

/** A schema with its own URI, against which references inside it are resolved. */
interface Resource {
  readonly address: string;
  readonly root: LocatedSchema;
  /** The resource that contains this one; null for the document. */
  readonly outer: Resource | null;
  /** Whether the URI is the same in all drafts of JSON Schema that the document may use. */
  readonly isCertain: boolean;
  /** The schemas of the resource by anchor; null for an anchor that occurs several times. */
  readonly anchors: Map<string, LocatedSchema | null>;
}

/** Finds the schemas inside a JSON Schema, and the targets of its references. */
export class SchemaDocument {
  readonly root: LocatedSchema;
  /** The draft of JSON Schema that `$schema` names: `draft-04`, or `draft/20` since 2019; empty if there is none. */
  readonly #draft: string;
  readonly #located = new Map<unknown, LocatedSchema>();
  /** The resources (schemas with a URI) by URI; null for a URI that occurs several times. */
  readonly #resources = new Map<string, Resource | null>();
  /** The resource to which each schema belongs; empty until the first reference is resolved. */
  readonly #resourceOf = new Map<unknown, Resource>();

  constructor(schema: unknown) {
    this.root = this.at(schema, '#', null);
    const named = isObject(schema) && typeof schema.$schema === 'string' ? schema.$schema : '';
    this.#draft = /draft(-0\d|\/20)/.exec(named)?.[0] ?? '';
  }

  /**
   * Returns a schema with its path; the same object on every call.
   *
   * @param keyword the keyword whose value this is, for errors
   * @throws {UnsupportedSchemaError} if the value is not a schema
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
   * Resolves a `$ref` of the schema `from`.
   *
   * @throws {UnsupportedSchemaError} if the reference is to another document or to nothing, or the drafts disagree about its
   * target
   */
  referred(reference: unknown, from: LocatedSchema): LocatedSchema {
    const fail = (problem: string) =>
      new UnsupportedSchemaError('$ref', from.path, `is ${JSON.stringify(reference)}: ${problem}`);
    if (typeof reference !== 'string') throw fail('it must be a text');
    const whole = this.#wholeDocument();
    const own = this.#resourceOf.get(from.schema) ?? whole;
    const bases = [own];
    for (let at = own; !at.isCertain && at.outer; at = at.outer) bases.push(at.outer);
    let found = bases.map((base) => this.#found(reference, base));
    // Many schemas with a nested $id have pointers from the root of the document, which the standard does not allow.
    if (found.every((each) => typeof each === 'string') && reference.startsWith('#/'))
      found = [this.#found(reference, whole)];
    const targets = new Map(found.filter((each) => typeof each !== 'string').map((each) => [each.schema, each]));
    if (targets.size > 1)
      throw fail('the drafts disagree about the address that it is resolved against; name the draft as $schema');
    for (const target of targets.values()) return target;
    throw fail(found[0] as string);
  }

  /** Returns the target of a reference within a resource, or the reason why there is none. */
  #found(reference: string, base: Resource): LocatedSchema | string {
    spend(Math.ceil(reference.length / CHARACTERS_PER_STEP));
    const [address, fragment] = parted(reference);
    const resource = address === '' ? base : this.#resources.get(resolved(address, base.address));
    if (resource === undefined) return 'references to other documents are not supported; put the schema under $defs';
    if (resource === null) return 'several schemas have this $id';
    if (fragment === '') return resource.root;
    if (fragment.startsWith('/')) return this.#placed(fragment, resource);
    const named = resource.anchors.get(fragment);
    return named ?? (named === null ? 'several schemas have this anchor' : 'there is no such anchor');
  }

  /** Follows a JSON pointer from the root of a resource. Returns the schema, or the reason why there is none. */
  #placed(pointer: string, from: Resource): LocatedSchema | string {
    let value: unknown = from.root.schema;
    let resource = from;
    for (const part of pointer.slice(1).split('/')) {
      const key = unescaped(part);
      const holder = value as Record<string, unknown> | null;
      if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key))
        return 'there is nothing at this place';
      value = holder[key];
      resource = this.#resourceOf.get(value) ?? resource;
    }
    const located = this.at(value, `${from.root.path}${pointer}`, '$ref');
    this.#enter(located, resource);
    return located;
  }

  /** Returns the resource of the document; the first call also finds the resources inside it. */
  #wholeDocument(): Resource {
    const known = this.#resources.get(NO_ADDRESS);
    if (known) return known;
    const whole = { address: NO_ADDRESS, root: this.root, outer: null, isCertain: true, anchors: new Map() };
    this.#resources.set(NO_ADDRESS, whole);
    this.#enter(this.root, whole);
    return whole;
  }

  #enter(located: LocatedSchema, resource: Resource): void {
    const reached: [LocatedSchema, Resource][] = [[located, resource]];
    for (const [{ schema, path }, outer] of reached) {
      if (!isObject(schema) || this.#resourceOf.has(schema)) continue;
      spend(STEPS_PER_VISIT);
      const own = this.#identified(schema, path, outer);
      this.#resourceOf.set(schema, own);
      for (const anchor of [schema.$anchor, schema.$dynamicAnchor])
        if (typeof anchor === 'string') note(own.anchors, anchor, this.at(schema, path, '$anchor'));
      for (const part of partsOf(schema, path)) reached.push([part, own]);
    }
  }

  /**
   * A new resource if the schema has an `$id`, otherwise the enclosing one. Before 2019, an `$id` that is a fragment is an
   * anchor.
   */
  #identified(schema: JsonObject, path: string, outer: Resource): Resource {
    const { $id, id } = schema;
    const identifier = typeof $id === 'string' ? $id : id;
    if (typeof identifier !== 'string') return outer;
    const root = this.at(schema, path, '$id');
    const [given, anchor] = parted(identifier);
    const address = given === '' ? outer.address : resolved(given, outer.address);
    const isCertain = this.#isIdentifier(typeof $id === 'string' ? '$id' : 'id', schema);
    const own = address === outer.address ? outer : { address, root, outer, isCertain, anchors: new Map() };
    if (own !== outer) note(this.#resources, address, own);
    if (anchor !== '') note(own.anchors, anchor, root);
    return own;
  }

  /** Up to draft 4 the identifying keyword is `id`, and up to draft 7 it is ignored beside a `$ref`. */
  #isIdentifier(keyword: '$id' | 'id', schema: JsonObject): boolean {
    if (/^draft-0[34]/.test(this.#draft) !== (keyword === 'id')) return false;
    return schema.$ref === undefined || this.#draft === 'draft/20';
  }
}

/** The value is a schema, a list of schemas, or either. Values of other keywords are data, even if they look like schemas. */
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

/** The keywords whose value is an object with a schema for each name. */
const NAMING: readonly string[] = [
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
];

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

function parted(reference: string): [address: string, fragment: string] {
  const at = reference.indexOf('#');
  return at < 0 ? [reference, ''] : [reference.slice(0, at), reference.slice(at + 1)];
}

/** Resolves a URI against another one; a text that cannot be resolved is returned unchanged. */
function resolved(address: string, base: string): string {
  spend(Math.ceil((address.length + base.length) / CHARACTERS_PER_STEP));
  return URL.canParse(address, base) ? new URL(address, base).href : address;
}

/** Records the target of an anchor or a URI; null if it has several targets. */
function note<Named>(names: Map<string, Named | null>, name: string, named: Named): void {
  const known = names.get(name);
  names.set(name, known === undefined || known === named ? named : null);
}

const unescaped = (part: string): string => {
  let decoded = part;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    // The text cannot be decoded, since it has a percent sign that is not an escape; it is used as it is.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
};

/** Escapes a key for a JSON pointer. */
export const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
