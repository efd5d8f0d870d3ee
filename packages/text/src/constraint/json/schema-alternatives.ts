// The combined constraints of several schemas as a list of alternatives (a disjunctive normal form).
import { spend } from '../effort.js';
import {
  anything,
  bothFacts,
  hasType,
  hasValue,
  typeOf,
  sameValue,
  type Facts,
  type JsonType,
  TYPES,
} from './facts.js';
import { readFacts } from './read-facts.js';
import { regularHasText, RegularMatcher } from '../regular-questions.js';
import { escaped, isObject, type JsonObject, type LocatedSchema, type SchemaDocument } from './schema-document.js';
import { patternExpression, stringExpression } from './string-expressions.js';
import { UnsupportedSchemaError } from './unsupported-schema-error.js';

/** The most alternatives of one schema; more would make a grammar of many megabytes. */
const MAX_ALTERNATIVES = 256;

/** The levels of properties and items that are searched for a contradiction. */
const CONTRADICTION_DEPTH = 4;

export class SchemaAlternatives {
  readonly #known = new Map<LocatedSchema, readonly Facts[]>();
  readonly #open = new Set<LocatedSchema>();

  constructor(readonly document: SchemaDocument) {}

  /**
   * Returns the alternatives of all the schemas together; empty if they contradict each other.
   *
   * @throws {UnsupportedSchemaError}
   */
  of(schemas: readonly LocatedSchema[]): readonly Facts[] {
    return schemas.reduce<readonly Facts[]>(
      (all, each) => this.#product(all, this.#ofOne(each), each.path),
      [anything],
    );
  }

  /** Lists the schemas that apply to a property with this name. */
  schemasOfProperty({ objects }: Facts, name: string): LocatedSchema[] {
    spend(objects.length);
    return objects.flatMap(({ properties, patterns, additional }) => {
      const own = properties.get(name);
      const matching = patterns.filter((each) => this.#matcherOf(each).matches(name)).map(([, schema]) => schema);
      const applied = own ? [own, ...matching] : matching;
      return applied.length > 0 ? applied : [additional];
    });
  }

  readonly #matchers = new Map<string, RegularMatcher>();

  /**
   * Makes a matcher of a pattern. JavaScript's regular expressions are not used, since their time may grow exponentially with a name's
   * length.
   */
  #matcherOf([pattern, { path }]: readonly [string, LocatedSchema]): RegularMatcher {
    const known = this.#matchers.get(pattern);
    if (known) return known;
    const matcher = new RegularMatcher(patternExpression(pattern, path, 'patternProperties'));
    this.#matchers.set(pattern, matcher);
    return matcher;
  }

  schemasOfItem({ arrays }: Facts, index: number): LocatedSchema[] {
    return arrays.map(({ prefix, rest }) => prefix[index] ?? rest);
  }

  /** Returns whether it is certain that no value satisfies the facts. */
  isContradiction(facts: Facts, depth = CONTRADICTION_DEPTH): boolean {
    if (facts.values) return !facts.values.some((value) => this.acceptsListed(facts, value));
    return !TYPES.some((type) => hasType(facts.types, type) && !this.#contradictsAs(type, facts, depth));
  }

  isImpossible(schemas: readonly LocatedSchema[], depth = CONTRADICTION_DEPTH): boolean {
    return this.of(schemas).every((facts) => this.isContradiction(facts, depth));
  }

  accepts(facts: Facts, value: unknown): boolean {
    return (!facts.values || hasValue(facts.values, value)) && this.acceptsListed(facts, value);
  }

  /** Returns whether a value is valid, given that it is one of the listed values, if there are any. */
  acceptsListed(facts: Facts, value: unknown): boolean {
    spend(1);
    if (!hasType(facts.types, typeOf(value))) return false;
    if (typeof value === 'string') return this.#acceptsText(facts, value);
    if (typeof value === 'number') return acceptsNumber(facts, value);
    if (Array.isArray(value)) return this.#acceptsArray(facts, value);
    return isObject(value) ? this.#acceptsObject(facts, value) : true;
  }

  readonly #texts = new WeakMap<Facts, RegularMatcher>();

  #acceptsText(facts: Facts, text: string): boolean {
    const { patterns, formats, minLength, maxLength } = facts;
    if (patterns.length + formats.length + minLength === 0 && maxLength === Infinity) return true;
    let matcher = this.#texts.get(facts);
    if (!matcher) this.#texts.set(facts, (matcher = new RegularMatcher(stringExpression(facts))));
    return matcher.matches(text);
  }

  #ofOne(located: LocatedSchema): readonly Facts[] {
    const known = this.#known.get(located);
    if (known) return known;
    if (this.#open.has(located))
      throw new UnsupportedSchemaError('$ref', located.path, 'leads back to itself, so that no value is described');
    this.#open.add(located);
    const alternatives = this.#read(located);
    this.#open.delete(located);
    this.#known.set(located, alternatives);
    return alternatives;
  }

  #read(located: LocatedSchema): readonly Facts[] {
    const { schema, path } = located;
    if (schema === false) return [];
    let all: readonly Facts[] = [readFacts(this.document, located)];
    if (schema === true) return all;
    const times = (alternatives: readonly Facts[]) => (all = this.#product(all, alternatives, path));
    if (schema.$ref !== undefined) times(this.#ofOne(this.document.referred(schema.$ref, located)));
    for (const part of this.#parts(schema, 'allOf', path)) times(this.#ofOne(part));
    for (const alternatives of this.#dependencies(schema, path)) times(alternatives);
    if (schema.anyOf !== undefined) times(this.#parts(schema, 'anyOf', path).flatMap((part) => this.#ofOne(part)));
    return schema.oneOf === undefined ? all : this.#exactlyOne(all, this.#parts(schema, 'oneOf', path), path);
  }

  #parts(schema: JsonObject, keyword: string, path: string): LocatedSchema[] {
    const parts = schema[keyword];
    if (parts === undefined) return [];
    if (!Array.isArray(parts) || parts.length === 0)
      throw new UnsupportedSchemaError(keyword, path, 'must be a list of schemas, at least one');
    return parts.map((part, i) => this.document.at(part, `${path}/${keyword}/${i}`, keyword));
  }

  /** For each property that others depend on, returns the alternatives that it is absent or that they are present. */
  #dependencies(schema: JsonObject, path: string): (readonly Facts[])[] {
    return ['dependentRequired', 'dependentSchemas', 'dependencies'].flatMap((keyword) => {
      const dependencies = schema[keyword];
      if (dependencies === undefined) return [];
      if (!isObject(dependencies)) throw new UnsupportedSchemaError(keyword, path, 'must be an object');
      return Object.entries(dependencies).map(([name, wanted]) => {
        const without = { ...anything, forbidden: new Set([name]) };
        const withIt = { ...anything, required: new Set([name]) };
        if (Array.isArray(wanted)) return [without, { ...anything, required: new Set([name, ...wanted.map(String)]) }];
        const part = this.document.at(wanted, `${path}/${keyword}/${escaped(name)}`, keyword);
        return [without, ...this.#product([withIt], this.#ofOne(part), path)];
      });
    });
  }

  /**
   * Returns the alternatives of each branch of `oneOf` without those of other branches: branches exclude each other, or a property
   * that another branch requires is forbidden.
   */
  #exactlyOne(outer: readonly Facts[], branches: readonly LocatedSchema[], path: string): readonly Facts[] {
    const alternatives = branches.map((branch) => this.#product(outer, this.#ofOne(branch), path));
    return alternatives.flatMap((own, i) =>
      own.map((facts) =>
        alternatives
          .filter((_, j) => j !== i)
          .flat()
          .reduce((left, other) => this.#without(left, other, path), facts),
      ),
    );
  }

  #without(facts: Facts, other: Facts, path: string): Facts {
    if (this.isContradiction(bothFacts(facts, other))) return facts;
    spend(facts.values?.length ?? 0);
    const values = facts.values?.filter((value) => !this.accepts(other, value));
    if (values && values.length > 0) return { ...facts, values };
    const types = TYPES.filter((type) => hasType(facts.types, type));
    const own = types.filter(
      (type) => !hasType(other.types, type) && !(type === 'number' && hasType(other.types, 'integer')),
    );
    if (own.length > 0 && own.length < types.length) return { ...facts, types: new Set(own) };
    const name = [...other.required].find((each) => !facts.required.has(each));
    if (name !== undefined && types.length === 1 && types[0] === 'object')
      return { ...facts, forbidden: new Set([...facts.forbidden, name]) };
    throw new UnsupportedSchemaError(
      'oneOf',
      path,
      'has branches that do not exclude each other, which is not supported; use anyOf, or a property with another const in each branch',
    );
  }

  #product(some: readonly Facts[], others: readonly Facts[], path: string): readonly Facts[] {
    if (some.length * others.length > MAX_ALTERNATIVES)
      throw new UnsupportedSchemaError(
        'anyOf',
        path,
        `has more than ${MAX_ALTERNATIVES} combinations of its alternatives`,
      );
    spend(some.length * others.length);
    return some
      .flatMap((a) => others.map((b) => bothFacts(a, b)))
      .filter(({ types, values }) => types?.size !== 0 && values?.length !== 0);
  }

  #contradictsAs(type: JsonType, facts: Facts, depth: number): boolean {
    switch (type) {
      case 'string':
        return facts.minLength > facts.maxLength || contradictsAsText(facts);
      case 'number':
      case 'integer': {
        const { minimum, maximum } = facts;
        const isPoint = minimum.at === maximum.at && (minimum.isExclusive || maximum.isExclusive);
        return minimum.at > maximum.at || isPoint;
      }
      case 'object':
        return facts.minProperties > facts.maxProperties || this.#lacksProperty(facts, depth);
      case 'array':
        return facts.minItems > facts.maxItems || this.#lacksItem(facts, depth);
      default:
        return false;
    }
  }

  #lacksProperty(facts: Facts, depth: number): boolean {
    if (facts.required.size > facts.maxProperties) return true;
    return [...facts.required].some(
      (name) =>
        facts.forbidden.has(name) || (depth > 0 && this.isImpossible(this.schemasOfProperty(facts, name), depth - 1)),
    );
  }

  #lacksItem(facts: Facts, depth: number): boolean {
    const longest = facts.arrays.reduce((most, { prefix }) => Math.max(most, prefix.length), 0) + 1;
    const needed = Array.from({ length: Math.min(facts.minItems, longest) }, (_, index) => index);
    return depth > 0 && needed.some((index) => this.isImpossible(this.schemasOfItem(facts, index), depth - 1));
  }

  #acceptsAll(schemas: readonly LocatedSchema[], value: unknown): boolean {
    return schemas.every((schema) => this.of([schema]).some((facts) => this.accepts(facts, value)));
  }

  #acceptsObject(facts: Facts, value: JsonObject): boolean {
    const names = Object.keys(value);
    return (
      names.length >= facts.minProperties &&
      names.length <= facts.maxProperties &&
      [...facts.required].every((name) => Object.hasOwn(value, name)) &&
      names.every(
        (name) =>
          !facts.forbidden.has(name) &&
          this.#acceptsAll(facts.names, name) &&
          this.#acceptsAll(this.schemasOfProperty(facts, name), value[name]),
      )
    );
  }

  #acceptsArray(facts: Facts, value: readonly unknown[]): boolean {
    const isDistinct = () => value.every((item, i) => value.findIndex((other) => sameValue(item, other)) === i);
    return (
      value.length >= facts.minItems &&
      value.length <= facts.maxItems &&
      (facts.uniqueItems === null || isDistinct()) &&
      value.every((item, index) => this.#acceptsAll(this.schemasOfItem(facts, index), item))
    );
  }
}

/** Returns whether no string satisfies the facts. A single expression is rarely contradictory, but several may be. */
function contradictsAsText(facts: Facts): boolean {
  const { patterns, formats, minLength, maxLength } = facts;
  const parts = patterns.length + formats.length + Number(minLength > 0 || maxLength < Infinity);
  return parts > 1 && !regularHasText(stringExpression(facts));
}

function acceptsNumber({ minimum, maximum, multiples }: Facts, value: number): boolean {
  return (
    (minimum.isExclusive ? value > minimum.at : value >= minimum.at) &&
    (maximum.isExclusive ? value < maximum.at : value <= maximum.at) &&
    multiples.every(([of]) => Number.isInteger(value / of))
  );
}
