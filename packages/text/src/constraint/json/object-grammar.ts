// Makes grammars of JSON objects: properties in the order of the schema, of which optional ones may be missing, then others,
// whose names match a pattern or nothing.
import { spend } from '../effort.js';
import { either, regular, repeat, sequence, text, type Grammar } from '../grammar.js';
import { anyLiteral, anyOf, both, not, type Regular } from '../regular.js';
import type { Facts } from './facts.js';
import { anyString, type Spacing } from './free-values.js';
import { regularHasText } from '../regular-questions.js';
import type { SchemaAlternatives } from './schema-alternatives.js';
import type { LocatedSchema } from './schema-document.js';
import { patternExpression, stringExpression } from './string-expressions.js';
import { UnsupportedSchemaError } from './unsupported-schema-error.js';

/** Each combination of patterns that a name may match needs a grammar of its own. */
const MAX_PATTERNS = 6;

/** The number of steps of work (see effort.ts) that are counted for finding the schemas of a property. */
const STEPS_PER_PROPERTY = 30;

/** Limits properties times possible numbers of properties before them: each pair is a rule of the grammar. */
const MAX_COUNTED = 10_000;

interface ObjectParts {
  readonly alternatives: SchemaAlternatives;
  readonly spaces: Spacing;
  /** Returns the grammar of values that satisfy all of the schemas. */
  readonly value: (schemas: readonly LocatedSchema[]) => Grammar;
  /** The path of the schema, for error messages. */
  readonly path: string;
}

interface Property {
  readonly isRequired: boolean;
  readonly pair: Grammar;
}

export function objectGrammar(facts: Facts, parts: ObjectParts): Grammar {
  const known = knownProperties(facts, parts);
  const further = furtherPairs(facts, parts);
  const required = known.filter(({ isRequired }) => isRequired).length;
  const { minProperties, maxProperties } = facts;
  const isCounted = minProperties > required || maxProperties < Infinity;
  if (isCounted && known.length * Math.min(maxProperties, known.length) > MAX_COUNTED)
    throw new UnsupportedSchemaError('maxProperties', parts.path, 'is not supported with so many properties');
  if (further && minProperties > known.length + 1)
    throw new UnsupportedSchemaError(
      'minProperties',
      parts.path,
      `is ${minProperties}; up to ${known.length + 1} is supported here, one more than there are names in 'properties' and 'required'`,
    );
  return sequence(text('{'), new Properties(known, further, facts, parts, isCounted).whole(), text('}'));
}

/** Caches grammars for the properties from an index on, given the number of properties before it. */
class Properties {
  readonly #made = new Map<string, Grammar>();

  constructor(
    private readonly known: readonly Property[],
    private readonly further: Grammar | null,
    private readonly facts: Facts,
    private readonly parts: ObjectParts,
    /** Whether the exact number matters (`minProperties`, `maxProperties`), or only whether a comma must come first. */
    private readonly isCounted: boolean,
  ) {}

  /** Later properties come first, since recursion over thousands of properties would overflow the stack. */
  whole(): Grammar {
    for (let index = this.known.length; index > 0; index--)
      for (let count = 0; count <= (this.isCounted ? Math.min(index, this.facts.maxProperties) : 1); count++)
        this.from(index, count);
    return this.from(0, 0);
  }

  from(index: number, count: number): Grammar {
    const before = this.isCounted ? count : Math.min(count, 1);
    const key = `${index},${before}`;
    let grammar = this.#made.get(key);
    if (!grammar) this.#made.set(key, (grammar = this.#make(index, before)));
    return grammar;
  }

  #make(index: number, count: number): Grammar {
    spend(5);
    if (index === this.known.length) return this.#end(count);
    const { isRequired, pair } = this.known[index];
    const choices = isRequired ? [] : [this.from(index + 1, count)];
    if (!this.isCounted || count < this.facts.maxProperties)
      choices.push(sequence(...this.#separated(count, pair), this.from(index + 1, count + 1)));
    return either(...choices);
  }

  #separated(count: number, pair: Grammar): Grammar[] {
    return count === 0 ? [pair] : [this.parts.spaces.comma, pair];
  }

  #end(count: number): Grammar {
    const { minProperties, maxProperties } = this.facts;
    const least = this.isCounted ? Math.max(0, minProperties - count) : 0;
    const most = this.isCounted ? maxProperties - count : Infinity;
    const { further, parts } = this;
    if (!further || most === 0) return least > 0 ? either() : sequence();
    // The grammar cannot count distinct names, so at most one required property may have a name that no schema gives.
    if (least > 1) return either();
    const rest = repeat(sequence(parts.spaces.comma, further), count === 0 ? 0 : least, count === 0 ? most - 1 : most);
    if (count > 0) return rest;
    const some = sequence(further, rest);
    return least > 0 ? some : either(sequence(), some);
  }
}

/** Those with a schema in order, then other required ones, without optional ones whose schemas contradict each other. */
function knownProperties(facts: Facts, parts: ObjectParts): Property[] {
  const { alternatives, spaces, value } = parts;
  const names = new Set([...facts.objects.flatMap(({ properties }) => [...properties.keys()]), ...facts.required]);
  return [...names].flatMap((name) => {
    spend(STEPS_PER_PROPERTY + name.length);
    const isRequired = facts.required.has(name);
    const schemas = alternatives.schemasOfProperty(facts, name);
    const isOut = facts.forbidden.has(name) || !acceptsName(facts, alternatives, name);
    if (isOut || alternatives.isImpossible(schemas)) return isRequired ? [{ isRequired, pair: either() }] : [];
    return [{ isRequired, pair: sequence(text(`${JSON.stringify(name)}:`), spaces.afterColon, value(schemas)) }];
  });
}

const acceptsName = ({ names }: Facts, alternatives: SchemaAlternatives, name: string): boolean =>
  names.every((schema) => alternatives.of([schema]).some((facts) => alternatives.accepts(facts, name)));

/**
 * Properties that the schemas do not name, with one grammar for each combination of patterns that a name may match. Names that
 * match no pattern need `additionalProperties`, although a schema without it would accept them.
 */
function furtherPairs(facts: Facts, parts: ObjectParts): Grammar | null {
  const { alternatives, spaces, value, path } = parts;
  const patterns = [...new Set(facts.objects.flatMap((each) => each.patterns.map(([pattern]) => pattern)))];
  if (patterns.length > MAX_PATTERNS)
    throw new UnsupportedSchemaError('patternProperties', path, `has more than ${MAX_PATTERNS} patterns`);
  const known = new Set([
    ...facts.objects.flatMap(({ properties }) => [...properties.keys()]),
    ...facts.required,
    ...facts.forbidden,
  ]);
  const other = known.size > 0 ? [not(anyLiteral([...known]))] : [];
  const named = facts.names.map((schema) => namesOf(alternatives.of([schema])));
  const pairs = combinations(patterns).flatMap((matched) => {
    if (matched.length === 0 && !isOpen(facts)) return [];
    const schemas = schemasOf(facts, matched);
    const classes = patterns.map((each) => {
      const expression = patternExpression(each, path, 'patternProperties');
      return matched.includes(each) ? expression : not(expression);
    });
    const names = [...other, ...named, ...classes];
    if (alternatives.isImpossible(schemas) || (names.length > 1 && !regularHasText(both(...names)))) return [];
    return [sequence(nameGrammar(names), text(':'), spaces.afterColon, value(schemas))];
  });
  return pairs.length === 0 ? null : either(...pairs);
}

const nameGrammar = (names: readonly Regular[]): Grammar =>
  names.length === 0 ? anyString : sequence(text('"'), regular(both(...names), 'json'), text('"'));

/**
 * Whether other names may be written: a schema has `additionalProperties`, nothing constrains properties, or more are required
 * than are named.
 */
const isOpen = ({ objects, required, minProperties }: Facts): boolean =>
  objects.length + required.size === 0 ||
  objects.some(({ saysAdditional }) => saysAdditional) ||
  new Set([...objects.flatMap(({ properties }) => [...properties.keys()]), ...required]).size < minProperties;

/** For a property that no schema names. `matched`: the patterns that the name matches. */
function schemasOf({ objects }: Facts, matched: readonly string[]): LocatedSchema[] {
  return objects.flatMap(({ patterns, additional }) => {
    const own = patterns.filter(([pattern]) => matched.includes(pattern)).map(([, schema]) => schema);
    return own.length > 0 ? own : [additional];
  });
}

function namesOf(alternatives: readonly Facts[]): Regular {
  return anyOf(
    ...alternatives.map((facts) =>
      facts.values
        ? anyLiteral(facts.values.filter((value) => typeof value === 'string'))
        : facts.types && !facts.types.has('string')
          ? anyOf()
          : stringExpression(facts),
    ),
  );
}

function combinations(all: readonly string[]): string[][] {
  return all.reduce<string[][]>((some, each) => some.flatMap((list) => [list, [...list, each]]), [[]]);
}
