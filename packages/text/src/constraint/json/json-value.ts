// Converts a JSON Schema to a grammar of the JSON texts that it accepts.
import { Effort, effortLimits, GrammarEffortError, spend } from '../effort.js';
import {
  distinctNames,
  distinctStrings,
  either,
  oneOfTexts,
  regular,
  repeat,
  rule,
  sequence,
  text,
  type Grammar,
} from '../grammar.js';
import {
  hasType,
  hasValue,
  sameValue,
  typeOf,
  typesSpokenOf,
  TYPES,
  type Contained,
  type Facts,
  type JsonType,
} from './facts.js';
import {
  anyBoolean,
  anyInteger,
  anyNumber,
  anyString,
  freeValues,
  listOf,
  spacing,
  type Spacing,
} from './free-values.js';
import { numberExpression } from './number-expressions.js';
import { objectGrammar } from './object-grammar.js';
import { SchemaAlternatives } from './schema-alternatives.js';
import { SchemaDocument, type LocatedSchema } from './schema-document.js';
import { stringExpression } from './string-expressions.js';
import { UnsupportedSchemaError } from './unsupported-schema-error.js';

export interface JsonValueOptions {
  /** Whether white space is excluded; otherwise one space may follow a comma or a colon. */
  compact?: boolean;
}

/**
 * Allows the JSON texts that are valid by a JSON Schema (drafts 4 to 2020-12), without repeated names in an object.
 *
 * Some valid texts are excluded: properties must be in the order of the schema; at most one space follows a comma or a colon; a
 * property that the schema does not name is allowed only if `additionalProperties` or a pattern applies to it; a value without a
 * type has one of the types to which its keywords apply, if any; numbers have up to 15 digits; objects and arrays without a
 * schema are nested up to 16 levels.
 *
 * @param schema an object, true or false; non-standard keywords are annotations
 * @throws {UnsupportedSchemaError} before sampling, for a keyword that cannot be enforced, with its path
 */
export function jsonValue(schema: unknown, { compact = false }: JsonValueOptions = {}): Grammar {
  const read = () => new SchemaGrammar(new SchemaDocument(schema), spacing(compact)).whole();
  try {
    return distinctNames(new Effort(effortLimits.reading).within(read));
  } catch (error) {
    throw error instanceof GrammarEffortError
      ? new UnsupportedSchemaError(null, '#', `cannot be served: ${error.message}`)
      : error;
  }
}

/** Converts several schemas within the work limit of one. @throws {GrammarError} if they exceed it */
export const readingTogether = <Result>(read: () => Result): Result => new Effort(effortLimits.reading).within(read);

class SchemaGrammar {
  readonly #alternatives: SchemaAlternatives;
  /** Caches the grammar of a value by the set of schemas that the value must satisfy. */
  readonly #values = new Map<string, Grammar>();
  readonly #numbers = new Map<LocatedSchema, number>();
  readonly #unread: Grammar[] = [];

  constructor(
    private readonly document: SchemaDocument,
    private readonly spaces: Spacing,
  ) {
    this.#alternatives = new SchemaAlternatives(document);
  }

  /** Makes all rules immediately, so that an unsupported schema is refused before sampling. */
  whole(): Grammar {
    const { root } = this.document;
    if (this.#alternatives.isImpossible([root]))
      throw new UnsupportedSchemaError(null, root.path, 'contradicts itself, so that no value is valid');
    const grammar = this.value([root]);
    for (let next = this.#unread.pop(); next; next = this.#unread.pop()) if (next.kind === 'rule') next.body();
    return grammar;
  }

  /** Returns the grammar of the values that satisfy all of the schemas. */
  value(given: readonly LocatedSchema[]): Grammar {
    const schemas = [...new Set(given)].filter(({ schema }) => schema !== true);
    const key = schemas
      .map((each) => this.#number(each))
      .sort((a, b) => a - b)
      .join();
    let grammar = this.#values.get(key);
    if (!grammar) {
      grammar = rule(() => this.#value(schemas));
      this.#values.set(key, grammar);
      this.#unread.push(grammar);
    }
    return grammar;
  }

  #number(schema: LocatedSchema): number {
    const number = this.#numbers.get(schema) ?? this.#numbers.size;
    this.#numbers.set(schema, number);
    return number;
  }

  #value(schemas: readonly LocatedSchema[]): Grammar {
    const path = schemas[0]?.path ?? '#';
    return either(...this.#alternatives.of(schemas).map((facts) => this.#valueWith(facts, path)));
  }

  #valueWith(facts: Facts, path: string): Grammar {
    if (this.#alternatives.isContradiction(facts)) return either();
    if (facts.values) {
      const valid = facts.values.filter((value) => this.#alternatives.acceptsListed(facts, value));
      return oneOfTexts(valid.map(writtenValue));
    }
    const spoken = typesSpokenOf(facts);
    if (!facts.types && spoken.size === 0) return freeValues(this.spaces).value;
    // Only the types to which some keyword applies, unless no value of those types is possible or the schema excludes constants.
    const says = [...spoken].some((type) => !this.#alternatives.isImpossibleAs(type, facts));
    const types = facts.types ?? (says && facts.excluded.length === 0 ? spoken : new Set(TYPES));
    const written = TYPES.filter((type) => types.has(type) && !(type === 'integer' && types.has('number')));
    return either(...written.map((type) => this.#ofType(type, facts, path)));
  }

  #ofType(type: JsonType, facts: Facts, path: string): Grammar {
    const isFree = !typesSpokenOf(facts).has(type === 'integer' ? 'number' : type);
    const isExcluded = (value: unknown) => hasValue(facts.excluded, value);
    switch (type) {
      case 'string':
        return isFree ? anyString : sequence(text('"'), regular(stringExpression(facts), 'json'), text('"'));
      case 'integer':
      case 'number': {
        const isInteger = !hasType(facts.types ?? new Set(['number']), 'number');
        if (isFree && facts.formats.length === 0) return isInteger ? anyInteger : anyNumber;
        return regular(numberExpression(facts, isInteger));
      }
      case 'boolean':
        return isFree
          ? anyBoolean
          : either(...[true, false].filter((value) => !isExcluded(value)).map((value) => text(`${value}`)));
      case 'null':
        return isExcluded(null) ? either() : text('null');
      case 'object':
        return isFree ? freeValues(this.spaces).object : this.#object(facts, path);
      case 'array':
        return isFree ? freeValues(this.spaces).array : this.#array(facts, path);
    }
  }

  #object(facts: Facts, path: string): Grammar {
    // A grammar cannot express that an object or array must differ from a constant.
    if (facts.excluded.some((value) => typeOf(value) === 'object')) return either();
    const value = (schemas: readonly LocatedSchema[]) => this.value(schemas);
    return objectGrammar(facts, { alternatives: this.#alternatives, spaces: this.spaces, value, path });
  }

  /** First the items with a schema each (the prefix), then items that all have one schema. */
  #array(facts: Facts, path: string): Grammar {
    const { uniqueItems, minItems } = facts;
    const longest = facts.arrays.reduce((most, { prefix }) => Math.max(most, prefix.length), 0);
    const schemasOf = (index: number) => this.#alternatives.schemasOfItem(facts, index);
    spend(longest);
    const impossible = Array.from({ length: longest + 1 }, (_, i) => i).find((i) =>
      this.#alternatives.isImpossible(schemasOf(i)),
    );
    const maxItems = Math.min(facts.maxItems, impossible ?? Infinity);
    if (maxItems < minItems || facts.excluded.some(Array.isArray)) return either();
    const item = (index: number) => this.value(schemasOf(index));
    if (longest > MAX_PREFIX)
      throw new UnsupportedSchemaError('prefixItems', path, `has more than ${MAX_PREFIX} items`);
    if (facts.contained.length > 0) {
      const kinds = (index: number, more: LocatedSchema[]) => this.value([...schemasOf(index), ...more]);
      return sequence(text('['), this.#containing(facts.contained, kinds, longest, minItems, maxItems), text(']'));
    }
    if (uniqueItems !== null && maxItems > 1) {
      if (longest > 0)
        throw new UnsupportedSchemaError('uniqueItems', uniqueItems, 'is not supported beside a list of items');
      return this.#distinctItems(schemasOf(0), uniqueItems, minItems, maxItems);
    }
    if (longest === 0) return sequence(text('['), listOf(item(0), this.spaces.comma, minItems, maxItems), text(']'));
    return sequence(text('['), this.#tuple(item, longest, minItems, maxItems), text(']'));
  }

  /** `uniqueItems`, if the items are a few constants, each written at most once, or strings, compared as they are written. */
  #distinctItems(schemas: readonly LocatedSchema[], path: string, minItems: number, maxItems: number): Grammar {
    const { comma } = this.spaces;
    const kinds = this.#alternatives.of(schemas);
    const listed = kinds.every(({ values }) => values !== null)
      ? kinds.flatMap((facts) => facts.values!.filter((value) => this.#alternatives.acceptsListed(facts, value)))
      : null;
    const values = listed?.filter((value, i) => listed.findIndex((other) => sameValue(value, other)) === i);
    if (values && values.length <= MAX_DISTINCT)
      return sequence(text('['), this.#eachOnce(values, minItems, maxItems), text(']'));
    const areTexts = kinds.every(
      ({ types, values: own }) =>
        (types?.size === 1 && types.has('string')) || own?.every((value) => typeof value === 'string'),
    );
    if (!areTexts || minItems > 1)
      throw new UnsupportedSchemaError(
        'uniqueItems',
        path,
        `is supported for up to ${MAX_DISTINCT} constants, and for strings with a minItems of 0 or 1`,
      );
    return distinctStrings(sequence(text('['), listOf(this.value(schemas), comma, minItems, maxItems), text(']')));
  }

  /** Allows the items of an array: some of the values, each at most once, in any order. */
  #eachOnce(values: readonly unknown[], minItems: number, maxItems: number): Grammar {
    const known = new Map<number, Grammar>();
    /** Returns the grammar of the items that follow after `count` items; bit i of `written` says that value i has been used. */
    const behind = (written: number, count: number): Grammar => {
      spend(values.length + 1);
      let grammar = known.get(written);
      if (!grammar) {
        const choices = values.flatMap((value, i) => {
          if (count === maxItems || written & (1 << i)) return [];
          const separator = count === 0 ? [] : [this.spaces.comma];
          return [sequence(...separator, text(writtenValue(value)), behind(written | (1 << i), count + 1))];
        });
        known.set(written, (grammar = either(...(count >= minItems ? [sequence()] : []), ...choices)));
      }
      return grammar;
    };
    return behind(0, 0);
  }

  /**
   * With `contains`, each item is valid by that schema, or any item; if the number of valid ones has an upper bound, the others
   * must be certainly invalid.
   *
   * @param item allows an item that is valid by further schemas too
   */
  #containing(
    contained: readonly Contained[],
    item: (index: number, more: LocatedSchema[]) => Grammar,
    longest: number,
    minItems: number,
    maxItems: number,
  ): Grammar {
    const [{ schema, min, max, path }] = contained;
    if (contained.length > 1)
      throw new UnsupportedSchemaError('contains', path, 'is not supported with another one for the same items');
    const counted = Math.max(min, Number.isFinite(max) ? max : 0);
    const [most, last] = [Math.max(minItems, Number.isFinite(maxItems) ? maxItems : 0, longest), counted];
    if ((most + 1) * (last + 1) > MAX_COUNTED_ITEMS)
      throw new UnsupportedSchemaError('contains', path, 'is not supported for so many items');
    const others = max === Infinity ? [] : [this.#alternatives.negated(schema)];
    const known = new Map<string, Grammar>();
    /** After `index` items, `count` of which are valid by the schema of `contains`; both stop increasing past all bounds. */
    const from = (index: number, count: number): Grammar => {
      const key = `${index},${count}`;
      let grammar = known.get(key);
      if (!grammar) {
        grammar = rule(() => next(index, count));
        known.set(key, grammar);
        this.#unread.push(grammar);
      }
      return grammar;
    };
    const next = (index: number, count: number): Grammar => {
      spend(10);
      const choices = index >= minItems && count >= min ? [sequence()] : [];
      const after = Math.min(index + 1, most + 1);
      const comma = index === 0 ? [] : [this.spaces.comma];
      if (index < maxItems) {
        choices.push(sequence(...comma, item(index, others), from(after, count)));
        if (count < max && (count < min || max < Infinity))
          choices.push(sequence(...comma, item(index, [schema]), from(after, count + 1)));
      }
      return either(...choices);
    };
    return from(0, 0);
  }

  #tuple(item: (index: number) => Grammar, longest: number, minItems: number, maxItems: number): Grammar {
    const { comma } = this.spaces;
    const rest = Math.max(0, maxItems - longest);
    let after = rest === 0 ? sequence() : repeat(sequence(comma, item(longest)), Math.max(0, minItems - longest), rest);
    for (let index = Math.min(longest, maxItems) - 1; index >= 0; index--) {
      const some = sequence(...(index === 0 ? [] : [comma]), item(index), after);
      after = index < minItems ? some : either(sequence(), some);
    }
    return after;
  }
}

const MAX_PREFIX = 1_000;

/** The largest number of constants in an array with `uniqueItems`: the grammar needs one rule for each subset of them. */
const MAX_DISTINCT = 8;

/** Bounds the number of items times that of valid items with `contains`, since each pair is one rule of the grammar. */
const MAX_COUNTED_ITEMS = 10_000;

function writtenValue(value: unknown): string {
  const json = JSON.stringify(value);
  spend(json.length);
  return json;
}
