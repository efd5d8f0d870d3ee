// Converts a JSON Schema to a grammar of the JSON texts that it accepts.
import { Effort, effortLimits, GrammarEffortError, spend } from '../effort.js';
import { distinctNames, either, oneOfTexts, regular, repeat, rule, sequence, text, type Grammar } from '../grammar.js';
import { hasType, typesSpokenOf, TYPES, type Facts, type JsonType } from './facts.js';
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
 * Allows JSON texts that are valid by a JSON Schema (drafts 4 to 2020-12).
 *
 * No object has the same name twice. Some valid texts are excluded: properties must be in the order of the schema; at most one space
 * follows a comma or a colon, as most models write it; a property that the schema does not name is allowed only if
 * `additionalProperties` or a pattern applies to it; a value without a type has one of the types to which its keywords apply, if there
 * are any; numbers have up to 15 digits; objects and arrays without a schema are nested up to 16 levels.
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

/**
 * Converts several schemas within the work limit of one.
 *
 * @throws {GrammarError} if they exceed it
 */
export const readingTogether = <Result>(read: () => Result): Result => new Effort(effortLimits.reading).within(read);

class SchemaGrammar {
  readonly #alternatives: SchemaAlternatives;
  /** Grammars by the set of schemas that a value must satisfy. */
  readonly #values = new Map<string, Grammar>();
  readonly #numbers = new Map<LocatedSchema, number>();
  readonly #unread: Grammar[] = [];

  constructor(
    private readonly document: SchemaDocument,
    private readonly spaces: Spacing,
  ) {
    this.#alternatives = new SchemaAlternatives(document);
  }

  /** Makes all rules immediately, so that unsupported schemas are refused now. */
  whole(): Grammar {
    const { root } = this.document;
    if (this.#alternatives.isImpossible([root]))
      throw new UnsupportedSchemaError(null, root.path, 'contradicts itself, so that no value is valid');
    const grammar = this.value([root]);
    for (let next = this.#unread.pop(); next; next = this.#unread.pop()) if (next.kind === 'rule') next.body();
    return grammar;
  }

  /** Allows values that satisfy all of the schemas. */
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
    const types = facts.types ?? spoken;
    const written = TYPES.filter((type) => types.has(type) && !(type === 'integer' && types.has('number')));
    return either(...written.map((type) => this.#ofType(type, facts, path)));
  }

  #ofType(type: JsonType, facts: Facts, path: string): Grammar {
    const isFree = !typesSpokenOf(facts).has(type === 'integer' ? 'number' : type);
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
        return anyBoolean;
      case 'null':
        return text('null');
      case 'object':
        return isFree ? freeValues(this.spaces).object : this.#object(facts, path);
      case 'array':
        return isFree ? freeValues(this.spaces).array : this.#array(facts, path);
    }
  }

  #object(facts: Facts, path: string): Grammar {
    const value = (schemas: readonly LocatedSchema[]) => this.value(schemas);
    return objectGrammar(facts, { alternatives: this.#alternatives, spaces: this.spaces, value, path });
  }

  /** Allows the items of the prefixes in turn, then items that share a schema. */
  #array(facts: Facts, path: string): Grammar {
    const { uniqueItems, minItems } = facts;
    const longest = facts.arrays.reduce((most, { prefix }) => Math.max(most, prefix.length), 0);
    const schemasOf = (index: number) => this.#alternatives.schemasOfItem(facts, index);
    spend(longest);
    const impossible = Array.from({ length: longest + 1 }, (_, i) => i).find((i) =>
      this.#alternatives.isImpossible(schemasOf(i)),
    );
    const maxItems = Math.min(facts.maxItems, impossible ?? Infinity);
    if (uniqueItems !== null && maxItems > 1)
      throw new UnsupportedSchemaError('uniqueItems', uniqueItems, 'is not supported for more than one item');
    if (maxItems < minItems) return either();
    const item = (index: number) => this.value(schemasOf(index));
    if (longest === 0) return sequence(text('['), listOf(item(0), this.spaces.comma, minItems, maxItems), text(']'));
    if (longest > MAX_PREFIX)
      throw new UnsupportedSchemaError('prefixItems', path, `has more than ${MAX_PREFIX} items`);
    return sequence(text('['), this.#tuple(item, longest, minItems, maxItems), text(']'));
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

function writtenValue(value: unknown): string {
  const json = JSON.stringify(value);
  spend(json.length);
  return json;
}
