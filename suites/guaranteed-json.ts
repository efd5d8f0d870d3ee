// Tests instances of JSON Schemas against guaranteed JSON, byte by byte: a schema compiles or is refused by name, and if it
// compiles, the masks must allow each valid instance and no invalid one.
import {
  ConstraintCompiler,
  EmptyGrammarError,
  GrammarError,
  jsonValue,
  TokenVocabulary,
  UnsupportedSchemaError,
  type CompiledConstraint,
  type TokenConstraint,
} from '@bowyer/text';
import { tokenizerOfBytes } from './tokenizer-of-bytes.js';
import type { CaseResult } from './suite.js';

export interface Instance {
  readonly name: string;
  readonly data: unknown;
  readonly valid: boolean;
}

/** The number of compiled schemas after which a new compiler is made, since a compiler keeps its parts. */
const compilers = { made: 0, each: 200 };
const vocabulary = new TokenVocabulary(tokenizerOfBytes());
let compiler = new ConstraintCompiler(vocabulary);

/**
 * Judges the instances of one schema. The name of a failed case begins with its kind: `refused, KEYWORD: …` if the schema does
 * not compile, `blocked, WHY: …` for a valid instance that the masks do not allow, `accepted: …` for an invalid one that they
 * allow.
 *
 * @param place the schema's name, with which its cases' names begin
 */
export function judged(place: string, schema: unknown, instances: readonly Instance[]): CaseResult[] {
  const compiled = compiledSchema(schema);
  const named = instances.map((instance) => ({ ...instance, name: `${place}: ${instance.name}` }));
  if (typeof compiled !== 'string') {
    if (instances.length === 0) return [{ name: `${place}: compiles`, outcome: 'passed' }];
    return named.map((instance) => judgedInstance(compiled, instance));
  }
  // A schema that contradicts itself has no valid instance, and is refused because there is no answer.
  if (compiled === 'no value' && instances.length > 0 && instances.every(({ valid }) => !valid))
    return named.map(({ name }) => ({ name, outcome: 'passed' }));
  const cases = instances.length === 0 ? [`${place}: compiles`] : named.map(({ name }) => name);
  return cases.map((name) => ({ name: `refused, ${compiled}: ${name}`, outcome: 'skipped' }));
}

/** Compiles a schema; returns the keyword or the kind of a refusal. */
export function compiledSchema(schema: unknown, given?: ConstraintCompiler): CompiledConstraint | string {
  if (++compilers.made % compilers.each === 0) compiler = new ConstraintCompiler(vocabulary);
  try {
    return (given ?? compiler).compile(jsonValue(schema));
  } catch (error) {
    if (error instanceof EmptyGrammarError) return 'no value';
    if (error instanceof UnsupportedSchemaError)
      return error.keyword ?? (error.message.includes('contradicts itself') ? 'no value' : 'work');
    if (error instanceof GrammarError) return 'work';
    throw error;
  }
}

function judgedInstance(compiled: CompiledConstraint, { name, data, valid }: Instance): CaseResult {
  const text = acceptedText(compiled, data);
  if (text === null) {
    if (!valid) return { name, outcome: 'passed' };
    const { kind, written } = blockedAt(compiled, data);
    return { name: `blocked, ${kind}: ${name}`, outcome: 'failed', detail: `after ${written.slice(-300)}` };
  }
  if (!valid) return { name: `accepted: ${name}`, outcome: 'failed', detail: text.slice(0, 300) };
  try {
    const at = maskedAt(compiled, text);
    return at === null ? { name, outcome: 'passed' } : { name: `masked: ${name}`, outcome: 'failed', detail: at };
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error;
    return { name: `blocked, work: ${name}`, outcome: 'failed', detail: error.message };
  }
}

/** Returns the text of a value that the constraint accepts, with its properties in any order; null if there is none. */
export function acceptedText(compiled: CompiledConstraint, data: unknown): string | null {
  const written = new Writer().value({ at: compiled.start(), text: '' }, data);
  return written?.at.canEnd ? written.text : null;
}

/** Returns the part of a text before the first byte that its mask forbids; null if all masks allow it. */
function maskedAt(compiled: CompiledConstraint, text: string): string | null {
  const mask = new Uint32Array(Math.ceil(vocabulary.size / 32));
  const at = compiled.start();
  for (const [i, byte] of [...Buffer.from(text)].entries()) {
    at.allowed(mask);
    if (!((mask[byte >>> 5] >>> (byte & 31)) & 1)) return text.slice(0, i);
    at.accept(byte);
  }
  at.allowed(mask);
  const end = vocabulary.endIds[0];
  return (mask[end >>> 5] >>> (end & 31)) & 1 ? null : text;
}

/** Returns the text of a valid instance up to where no further byte is allowed, and the kind of the next part. */
function blockedAt(compiled: CompiledConstraint, data: unknown): { kind: string; written: string } {
  const writer = new Writer();
  if (writer.value({ at: compiled.start(), text: '' }, data)) return { kind: 'end', written: writer.furthest };
  return { kind: writer.problem, written: writer.furthest };
}

interface Written {
  readonly at: TokenConstraint;
  readonly text: string;
}

/** The most parts of an instance that the search for an order of properties tries. */
const MOST_PARTS = 20_000;

const TYPES: ReadonlySet<string> = new Set(['array', 'object', 'string', 'number', 'boolean', 'null']);

/** Writes values as compact JSON, with the properties of an object in an order that the constraint allows, which a search finds. */
class Writer {
  /** The longest text that could be written. */
  furthest = '';
  /** The kind of the part after it that could not be written: a name, or the type of a value. */
  problem = 'value';
  #left = MOST_PARTS;

  value(from: Written, data: unknown): Written | null {
    if (Array.isArray(data)) return this.#array(from, data);
    if (typeof data === 'object' && data !== null) return this.#object(from, data as Record<string, unknown>);
    return this.#text(from, JSON.stringify(data), data === null ? 'null' : typeof data);
  }

  #array(from: Written, items: readonly unknown[]): Written | null {
    let now = this.#text(from, '[', 'array');
    for (const [i, item] of items.entries()) {
      now = now && (i === 0 ? now : this.#text(now, ',', 'item'));
      now = now && this.value(now, item);
    }
    return now && this.#text(now, ']', 'end of array');
  }

  #object(from: Written, object: Record<string, unknown>): Written | null {
    const opened = this.#text(from, '{', 'object');
    const closed = (now: Written) => this.#text(now, '}', 'end of object');
    const search = (now: Written, left: readonly string[], isFirst: boolean): Written | null => {
      if (left.length === 0) return closed(now);
      const named = (name: string, at = now, first = isFirst) =>
        this.#text(at, `${first ? '' : ','}${JSON.stringify(name)}:`, 'name');
      const open = left.filter((name) => named(name));
      for (const name of open) {
        const next = this.value(named(name)!, object[name]);
        if (!next) continue;
        // A name that can be written before this one, but not after it, must come first.
        const isLate = open.some((other) => other !== name && !named(other, next, false));
        const whole = isLate
          ? null
          : search(
              next,
              left.filter((other) => other !== name),
              false,
            );
        if (whole) return whole;
      }
      return null;
    };
    return opened && search(opened, Object.keys(object), true);
  }

  #text(from: Written, text: string, what: string): Written | null {
    if (this.#left-- <= 0) {
      this.problem = 'search';
      return null;
    }
    const at = from.at.clone();
    const written = from.text + text;
    let count = 0;
    try {
      for (const byte of Buffer.from(text)) {
        at.accept(byte);
        count++;
      }
    } catch (error) {
      if (!(error instanceof RangeError) && !(error instanceof GrammarError)) throw error;
      if (from.text.length >= this.furthest.length)
        [this.furthest, this.problem] = [
          written,
          error instanceof GrammarError ? 'work' : count === 0 && TYPES.has(what) ? 'type' : what,
        ];
      return null;
    }
    return { at, text: written };
  }
}
