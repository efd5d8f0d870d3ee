// Combines the constraints of several JSON Schemas on one value into alternatives (a disjunctive normal form).
import { spend } from '../effort.js';
import {
  anything,
  bothFacts,
  hasType,
  hasValue,
  typeOf,
  sameValue,
  type ArrayRule,
  type Contained,
  type Facts,
  type ObjectRule,
  type JsonType,
  TYPES,
} from './facts.js';
import { violations } from './negation.js';
import { isMultiple } from './number-expressions.js';
import { readFacts } from './read-facts.js';
import { regularHasText, RegularMatcher } from '../regular-questions.js';
import { escaped, isObject, type JsonObject, type LocatedSchema, type SchemaDocument } from './schema-document.js';
import { patternExpression, stringExpression } from './string-expressions.js';
import { UnsupportedSchemaError } from './unsupported-schema-error.js';

/** The largest number of alternatives of one schema; more would make a grammar of many megabytes. */
const MAX_ALTERNATIVES = 256;

/** The number of levels of properties and items that are searched for a contradiction. */
const CONTRADICTION_DEPTH = 4;

/** A schema's `if`, `then` and `else`: a condition, what must hold for values that are valid by it, and what for others. */
interface Condition {
  readonly when: LocatedSchema;
  readonly then: LocatedSchema;
  readonly otherwise: LocatedSchema;
}

/** Reads the schemas of one document, and combines those that apply to one value. */
export class SchemaAlternatives {
  readonly #known = new Map<LocatedSchema, readonly Facts[]>();
  readonly #violating = new Map<LocatedSchema, readonly Facts[]>();
  readonly #open = new Set<LocatedSchema>();
  readonly #negated = new Map<LocatedSchema, LocatedSchema>();
  /** A keyword for whose violations some negated schema lacks values; null as long as every negated schema is complete. */
  #left: string | null = null;

  constructor(readonly document: SchemaDocument) {}

  /** In each alternative a value satisfies all the schemas; empty if they are contradictory. @throws {UnsupportedSchemaError} */
  of(schemas: readonly LocatedSchema[]): readonly Facts[] {
    return schemas.reduce<readonly Facts[]>(
      (all, each) => this.#product(all, this.#ofOne(each), each.path),
      [anything],
    );
  }

  /** Returns a schema of the values that are invalid by another one. Repeated calls return the same object. */
  negated(located: LocatedSchema): LocatedSchema {
    const { schema, path } = located;
    if (typeof schema === 'boolean') return { schema: !schema, path };
    let negated = this.#negated.get(located);
    if (!negated) this.#negated.set(located, (negated = { schema: { not: schema }, path }));
    return negated;
  }

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

  /** JavaScript's regular expressions are not used, since their time may grow exponentially with a name's length. */
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

  /** Returns whether it is certain that no value of a type has these facts. */
  isImpossibleAs(type: JsonType, facts: Facts): boolean {
    return this.#contradictsAs(type, facts, CONTRADICTION_DEPTH);
  }

  isImpossible(schemas: readonly LocatedSchema[], depth = CONTRADICTION_DEPTH): boolean {
    return this.of(schemas).every((facts) => this.isContradiction(facts, depth));
  }

  accepts(facts: Facts, value: unknown): boolean {
    return (!facts.values || hasValue(facts.values, value)) && this.acceptsListed(facts, value);
  }

  /** The value is known to be in the facts' list of values, if there is one. */
  acceptsListed(facts: Facts, value: unknown): boolean {
    spend(1);
    if (!hasType(facts.types, typeOf(value)) || hasValue(facts.excluded, value)) return false;
    if (typeof value === 'string') return this.#acceptsText(facts, value);
    if (typeof value === 'number') return acceptsNumber(facts, value);
    if (Array.isArray(value)) return this.#acceptsArray(facts, value);
    return isObject(value) ? this.#acceptsObject(facts, value) : true;
  }

  readonly #texts = new WeakMap<Facts, RegularMatcher>();

  #acceptsText(facts: Facts, text: string): boolean {
    const { patterns, formats, texts, minLength, maxLength } = facts;
    if (patterns.length + formats.length + texts.length + minLength === 0 && maxLength === Infinity) return true;
    let matcher = this.#texts.get(facts);
    if (!matcher) this.#texts.set(facts, (matcher = new RegularMatcher(stringExpression(facts))));
    return matcher.matches(text);
  }

  #ofOne(located: LocatedSchema): readonly Facts[] {
    return this.#once(this.#known, located, () => this.#read(located));
  }

  /** Returns the facts of the values that are invalid by a schema. If `#left` is set, some of these values may be missing. */
  #ofNot(located: LocatedSchema): readonly Facts[] {
    return this.#once(this.#violating, located, () => this.#readNot(located).map(withoutEvaluation));
  }

  #once(
    known: Map<LocatedSchema, readonly Facts[]>,
    located: LocatedSchema,
    read: () => readonly Facts[],
  ): readonly Facts[] {
    const found = known.get(located);
    if (found) return found;
    if (this.#open.has(located))
      throw new UnsupportedSchemaError('$ref', located.path, 'leads back to itself, so that no value is described');
    this.#open.add(located);
    const alternatives = read();
    this.#open.delete(located);
    known.set(located, alternatives);
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
    if (schema.not !== undefined) times(this.#without(this.#part(schema, 'not', path)));
    const condition = this.#condition(schema, path);
    if (condition) times(this.#either(condition));
    if (schema.anyOf !== undefined) times(this.#parts(schema, 'anyOf', path).flatMap((part) => this.#ofOne(part)));
    if (schema.oneOf !== undefined) all = this.#exactlyOne(all, this.#parts(schema, 'oneOf', path), path);
    return this.#withUnevaluated(all, schema, path);
  }

  /**
   * Adds `unevaluatedProperties` and `unevaluatedItems`, for what no other keyword evaluates. A second alternative may evaluate
   * more; only what this one allows by itself is kept.
   */
  #withUnevaluated(all: readonly Facts[], schema: JsonObject, path: string): readonly Facts[] {
    const [properties, items] = ['unevaluatedProperties', 'unevaluatedItems'].map((keyword) =>
      schema[keyword] === undefined ? null : this.#part(schema, keyword, path),
    );
    if (properties === null && items === null) return all;
    if (all.length > 1) this.#left ??= 'unevaluatedProperties';
    return all.map((facts) => {
      const objects = properties === null ? [] : unevaluatedProperties(facts, properties);
      const arrays = items === null ? [] : unevaluatedItems(facts, items, path);
      return { ...facts, objects: [...facts.objects, ...objects], arrays: [...facts.arrays, ...arrays] };
    });
  }

  #readNot(located: LocatedSchema): readonly Facts[] {
    const { schema, path } = located;
    if (typeof schema === 'boolean') return schema ? [] : [anything];
    const own = violations(readFacts(this.document, located), (part) => this.negated(part));
    this.#left ??= own.left[0] ?? null;
    const all = [own.alternatives];
    if (schema.$ref !== undefined) all.push(this.#ofNot(this.document.referred(schema.$ref, located)));
    for (const part of this.#parts(schema, 'allOf', path)) all.push(this.#ofNot(part));
    this.#left ??= WITHOUT_VIOLATIONS.find((keyword) => schema[keyword] !== undefined) ?? null;
    if (schema.not !== undefined) all.push(this.#ofOne(this.#part(schema, 'not', path)));
    const condition = this.#condition(schema, path);
    if (condition) {
      const { when, then, otherwise } = condition;
      all.push(this.#product(this.#ofOne(when), this.#ofNot(then), path));
      all.push(this.#product(this.#ofNot(when), this.#ofNot(otherwise), path));
    }
    const none = (parts: readonly LocatedSchema[]) =>
      parts.reduce<readonly Facts[]>((some, part) => this.#product(some, this.#ofNot(part), path), [anything]);
    if (schema.anyOf !== undefined) all.push(none(this.#parts(schema, 'anyOf', path)));
    const branches = this.#parts(schema, 'oneOf', path);
    if (branches.length > 0) all.push(none(branches));
    for (const [i, one] of branches.entries())
      for (const other of branches.slice(i + 1)) all.push(this.#product(this.#ofOne(one), this.#ofOne(other), path));
    return all.flat();
  }

  /** Throws UnsupportedSchemaError if the facts cannot be expressed. */
  #without(part: LocatedSchema): readonly Facts[] {
    const alternatives = this.#ofNot(part);
    if (alternatives.length > 0 || this.#left === null) return alternatives;
    throw new UnsupportedSchemaError('not', part.path, `excludes what '${this.#left}' asks, which is not supported`);
  }

  /** Reads `if`, `then` and `else`; null if there is no condition, or nothing depends on it. */
  #condition(schema: JsonObject, path: string): Condition | null {
    if (schema.if === undefined || (schema.then === undefined && schema.else === undefined)) return null;
    const when = this.#part(schema, 'if', path);
    const [then, otherwise] = ['then', 'else'].map((keyword) =>
      schema[keyword] === undefined ? { schema: true, path } : this.#part(schema, keyword, path),
    );
    return { when, then, otherwise };
  }

  #either({ when, then, otherwise }: Condition): readonly Facts[] {
    return [
      ...this.#product(this.#ofOne(when), this.#ofOne(then), when.path),
      ...this.#product(this.#ofNot(when), this.#ofOne(otherwise), when.path),
    ];
  }

  #part(schema: JsonObject, keyword: string, path: string): LocatedSchema {
    return this.document.at(schema[keyword], `${path}/${keyword}`, keyword);
  }

  #parts(schema: JsonObject, keyword: string, path: string): LocatedSchema[] {
    const parts = schema[keyword];
    if (parts === undefined) return [];
    if (!Array.isArray(parts) || parts.length === 0)
      throw new UnsupportedSchemaError(keyword, path, 'must be a list of schemas, at least one');
    return parts.map((part, i) => this.document.at(part, `${path}/${keyword}/${i}`, keyword));
  }

  /** For each property on which others depend, returns two alternatives: it is absent, or what depends on it holds. */
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
   * For each branch of `oneOf`, excludes values of other branches: the branches exclude each other already, or a property that
   * another branch requires is forbidden in this one, or the other branch is negated.
   */
  #exactlyOne(outer: readonly Facts[], branches: readonly LocatedSchema[], path: string): readonly Facts[] {
    const alternatives = branches.map((branch) => this.#product(outer, this.#ofOne(branch), path));
    const all = alternatives.flatMap((own, i) =>
      own.flatMap((facts) =>
        branches.reduce<readonly Facts[]>(
          (left, branch, j) => {
            if (j === i) return left;
            return left.flatMap((each) => this.#outside(each, alternatives[j], branch, path));
          },
          [facts],
        ),
      ),
    );
    if (all.length > 0 || this.#left === null) return all;
    throw new UnsupportedSchemaError(
      'oneOf',
      path,
      'has branches that do not exclude each other, which is not supported; use anyOf, or a property with another const in each branch',
    );
  }

  /** Removes the values of another branch of `oneOf`, whose facts are `others`. */
  #outside(facts: Facts, others: readonly Facts[], branch: LocatedSchema, path: string): readonly Facts[] {
    let left: Facts | null = facts;
    for (const other of others) left &&= this.#excluding(left, other);
    // If facts of negated schemas are missing (`#left`), `others` may describe fewer values than the branch has.
    if (left && this.#left === null) return [left];
    return this.#product([facts], this.#ofNot(branch), path).filter((each) => !this.isContradiction(each));
  }

  /** Removes the values that also satisfy other facts, if a single alternative can express the result; otherwise returns null. */
  #excluding(facts: Facts, other: Facts): Facts | null {
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
    return null;
  }

  #product(some: readonly Facts[], others: readonly Facts[], path: string): readonly Facts[] {
    spend(some.length * others.length);
    const all = some
      .flatMap((a) => others.map((b) => bothFacts(a, b)))
      .filter((facts) => facts.types?.size !== 0 && facts.values?.length !== 0 && !this.#isClearlyOut(facts));
    if (all.length > MAX_ALTERNATIVES)
      throw new UnsupportedSchemaError(
        'anyOf',
        path,
        `has more than ${MAX_ALTERNATIVES} combinations of its alternatives`,
      );
    return all;
  }

  /** A fast check, only by constants (`const`, `enum`), of whether a required property can have no value. */
  #isClearlyOut(facts: Facts): boolean {
    if (facts.objects.length < 2) return false;
    return [...facts.required].some((name) => {
      if (facts.forbidden.has(name)) return true;
      const schemas = facts.objects.flatMap(({ properties }) => properties.get(name)?.schema ?? []);
      const listed = schemas.flatMap((schema) => [listedIn(schema)].filter((values) => values !== null));
      if (listed.length === 0) return false;
      const excluded = schemas.flatMap((schema) => (isObject(schema) && listedIn(schema.not)) || []);
      return !listed[0].some(
        (value) => listed.every((values) => hasValue(values, value)) && !hasValue(excluded, value),
      );
    });
  }

  #contradictsAs(type: JsonType, facts: Facts, depth: number): boolean {
    // A grammar cannot express that an object or array differs from one constant, so no value of this type is possible.
    if (facts.excluded.some((value) => typeof value === 'object' && typeOf(value) === type)) return true;
    switch (type) {
      case 'string':
        return facts.minLength > facts.maxLength || contradictsAsText(facts);
      case 'number':
      case 'integer': {
        const { minimum, maximum } = facts;
        const isPoint = minimum.at === maximum.at && (minimum.isExclusive || maximum.isExclusive);
        const isNoInteger = type === 'integer' && facts.notMultiples.some(([of]) => isMultiple(1, of));
        return minimum.at > maximum.at || isPoint || isNoInteger;
      }
      case 'object':
        return facts.minProperties > facts.maxProperties || this.#lacksProperty(facts, depth);
      case 'array':
        return facts.minItems > facts.maxItems || this.#lacksItem(facts, depth) || this.#lacksContained(facts, depth);
      case 'boolean':
        return hasValue(facts.excluded, true) && hasValue(facts.excluded, false);
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

  #lacksContained({ contained, maxItems }: Facts, depth: number): boolean {
    return contained.some(
      ({ schema, min, max }) =>
        min > Math.min(max, maxItems) || (min > 0 && depth > 0 && this.isImpossible([schema], depth - 1)),
    );
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

  #acceptsCount({ schema, min, max }: Contained, items: readonly unknown[]): boolean {
    const isOf = (one: LocatedSchema) => items.filter((item) => this.#acceptsAll([one], item)).length;
    return isOf(schema) >= min && (max === Infinity || items.length - isOf(this.negated(schema)) <= max);
  }

  #acceptsArray(facts: Facts, value: readonly unknown[]): boolean {
    const isDistinct = () => value.every((item, i) => value.findIndex((other) => sameValue(item, other)) === i);
    return (
      value.length >= facts.minItems &&
      value.length <= facts.maxItems &&
      (facts.uniqueItems === null || isDistinct()) &&
      facts.contained.every((each) => this.#acceptsCount(each, value)) &&
      value.every((item, index) => this.#acceptsAll(this.schemasOfItem(facts, index), item))
    );
  }
}

/** Negated schemas evaluate nothing for `unevaluatedProperties` and `unevaluatedItems` outside them. */
const withoutEvaluation = (facts: Facts): Facts => ({
  ...facts,
  objects: facts.objects.map((rule) => ({ ...rule, isNegated: true })),
  arrays: facts.arrays.map((rule) => ({ ...rule, isNegated: true })),
});

/** The keywords whose violations are not included in negated schemas. */
const WITHOUT_VIOLATIONS: readonly string[] = [
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
];

/** Makes the rule for the properties that no other rule evaluates (`unevaluatedProperties`); no rule if all are evaluated. */
function unevaluatedProperties({ objects }: Facts, additional: LocatedSchema): readonly ObjectRule[] {
  const rules = objects.filter(({ isNegated }) => !isNegated);
  if (rules.some(({ saysAdditional }) => saysAdditional)) return [];
  const free: LocatedSchema = { schema: true, path: additional.path };
  const properties = new Map(rules.flatMap((rule) => [...rule.properties.keys()].map((name) => [name, free] as const)));
  const patterns = rules.flatMap((rule) => rule.patterns.map(([pattern]) => [pattern, free] as const));
  return [{ properties, patterns, additional, saysAdditional: true }];
}

/** Makes the rule for the items that no other rule evaluates (`unevaluatedItems`); no rule if all are evaluated. */
function unevaluatedItems({ arrays, contained }: Facts, rest: LocatedSchema, path: string): readonly ArrayRule[] {
  const rules = arrays.filter(({ isNegated }) => !isNegated);
  if (rules.some(({ saysRest }) => saysRest)) return [];
  if (contained.length > 0)
    throw new UnsupportedSchemaError('unevaluatedItems', path, "is not supported beside 'contains'");
  const length = rules.reduce((most, { prefix }) => Math.max(most, prefix.length), 0);
  const free: LocatedSchema = { schema: true, path: rest.path };
  return [{ prefix: Array.from({ length }, () => free), rest, saysRest: true }];
}

/** Returns the values that a schema lists; null if it lists none. */
function listedIn(schema: unknown): readonly unknown[] | null {
  if (!isObject(schema)) return null;
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) ? (schema.enum as unknown[]) : null;
}

/** Returns whether no string has these facts. A single expression is hardly ever a contradiction; several may be. */
function contradictsAsText(facts: Facts): boolean {
  const { patterns, formats, texts, excluded, minLength, maxLength } = facts;
  const parts =
    patterns.length + formats.length + texts.length + excluded.length + Number(minLength > 0 || maxLength < Infinity);
  return parts > 1 && !regularHasText(stringExpression(facts));
}

function acceptsNumber({ minimum, maximum, multiples, notMultiples }: Facts, value: number): boolean {
  return (
    (minimum.isExclusive ? value > minimum.at : value >= minimum.at) &&
    (maximum.isExclusive ? value < maximum.at : value <= maximum.at) &&
    multiples.every(([of]) => isMultiple(value, of)) &&
    notMultiples.every(([of]) => !isMultiple(value, of))
  );
}
