// Reads the fields of a request's JSON body, checks their types and bounds, and throws the error that the client gets. Unknown
// fields are refused, except in a protocol whose clients may be newer than this server: there they are ignored and listed.
import type { Fields } from '@bowyer/conversations';
import { nearestName } from '@bowyer/envs';
import { keepNumbers } from '@bowyer/text';
import { BadRequestError, LONGEST_NAME, shortened } from '../../generation/request-error.js';
import type { FieldRules } from './field-rules.js';

interface Range {
  min: number;
  max: number;
  whole?: boolean;
}

/** A field with the value null counts as absent, as in OpenAI's API. */
export class RequestFields implements Fields<FieldRules> {
  readonly #fields: Readonly<Record<string, unknown>>;

  /**
   * @param rules the rules of the object's fields; null if any field is allowed
   * @param ignored receives unknown fields, which are ignored unless they resemble a known one; null to refuse them
   * @throws {BadRequestError} if the value is not an object, or has a field that is refused or unknown
   */
  constructor(
    body: unknown,
    rules: FieldRules | null,
    private readonly path = '',
    private readonly ignored: string[] | null = null,
  ) {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new BadRequestError(path === '' ? 'the body must be a JSON object' : `'${path}' must be an object`, path);
    this.#fields = body as Record<string, unknown>;
    if (rules !== null) this.#check(rules);
  }

  #check(rules: FieldRules): void {
    for (const [name, value] of Object.entries(this.#fields)) {
      if (value === null) continue;
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
      if (rule === undefined) {
        this.#takeUnknown(name, rules);
        continue;
      }
      if (rule.kind !== 'refused' || rule.unless.some((each) => sameJson(each, value))) continue;
      const except =
        rule.unless.length === 0
          ? ''
          : ` (only ${rule.unless.map((each) => JSON.stringify(each)).join(' and ')}, which changes nothing)`;
      throw this.fail(
        name,
        `is not supported by this server${except}${rule.instead === null ? '' : `; ${rule.instead}`}`,
      );
    }
  }

  #takeUnknown(name: string, rules: FieldRules): void {
    const known = Object.keys(rules).filter((each) => rules[each].kind === 'served');
    const near = name.length > LONGEST_NAME ? null : nearestName(name, known);
    if (this.ignored !== null && near === null) this.ignored.push(this.#place(shortened(name, LONGEST_NAME)));
    else throw this.#unknown(name, known, near);
  }

  #unknown(name: string, known: readonly string[], near: string | null): BadRequestError {
    const place = this.path === '' ? 'a request' : `'${this.path}'`;
    return new BadRequestError(
      `'${this.#place(shortened(name, LONGEST_NAME))}' is not a field of ${place} that this server knows` +
        (near === null ? `; it serves ${known.join(', ')}` : `; did you mean '${near}'?`),
      this.#place(name),
      'unknown_parameter',
    );
  }

  value(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? undefined) : undefined;
  }

  number<Default>(name: string, otherwise: Default, range: Range): number | Default {
    const value = this.value(name);
    if (value === undefined) return otherwise;
    const { min, max, whole = false } = range;
    if (typeof value !== 'number' || !(value >= min && value <= max) || (whole && !Number.isInteger(value)))
      throw this.#wrong(name, described(range, value));
    return value;
  }

  boolean(name: string, otherwise = false): boolean {
    const value = this.value(name) ?? otherwise;
    if (typeof value !== 'boolean') throw this.#wrong(name, 'true or false');
    return value;
  }

  text<Default>(name: string, otherwise: Default): string | Default {
    const value = this.value(name);
    if (value === undefined) return otherwise;
    if (typeof value !== 'string') throw this.#wrong(name, 'a string');
    return value;
  }

  choice<const Option extends string>(name: string, options: readonly Option[], otherwise: Option): Option {
    const value = this.text(name, otherwise);
    const found = options.find((option) => option === value);
    if (found === undefined) throw this.#wrong(name, `one of ${options.join(', ')}`);
    return found;
  }

  /** Returns the texts of a field that contains one text or a list of texts. */
  texts(name: string): string[] {
    const value = this.value(name) ?? [];
    const list: unknown[] = Array.isArray(value) ? value : [value];
    if (!list.every((item) => typeof item === 'string')) throw this.#wrong(name, 'a string or an array of strings');
    return list;
  }

  /** Returns the token ids in a list: at most `most`, each below `vocabSize`; none if the field is absent. */
  ids(name: string, vocabSize: number, most: number): number[] {
    const value = this.value(name) ?? [];
    const isId = (id: unknown): id is number =>
      Number.isInteger(id) && (id as number) >= 0 && (id as number) < vocabSize;
    if (!Array.isArray(value) || !value.every(isId))
      throw this.#wrong(name, `an array of token ids below ${vocabSize}`);
    if (value.length > most) throw this.fail(name, `has ${value.length} token ids; at most ${most} are allowed`);
    return value;
  }

  objects(name: string, rules: FieldRules | null): RequestFields[] {
    const value = this.value(name);
    if (!Array.isArray(value) || value.length === 0) throw this.#wrong(name, 'an array with at least one object');
    return value.map((item, i) => new RequestFields(item, rules, this.#place(`${name}[${i}]`), this.ignored));
  }

  object(name: string, rules: FieldRules | null): RequestFields {
    return new RequestFields(this.value(name) ?? {}, rules, this.#place(name), this.ignored);
  }

  /** @param without the names of fields to leave out */
  plain(without: readonly string[] = []): Record<string, unknown> {
    const kept = Object.entries(this.#fields).filter(([name]) => !without.includes(name));
    return keepNumbers(this.#fields, Object.fromEntries(kept));
  }

  /** A request never has further fields of messages: they were refused or have no effect. */
  beside(): Record<string, unknown> {
    return {};
  }

  /** Returns an object that has token ids as keys and numbers as values, such as `logit_bias`, as `[[id, number]]`. */
  numbersById(
    name: string,
    { min, max, vocabSize, most }: { min: number; max: number; vocabSize: number; most: number },
  ): [number, number][] {
    const value = this.value(name) ?? {};
    if (typeof value !== 'object' || Array.isArray(value)) throw this.#wrong(name, 'an object of numbers by token id');
    const { length } = Object.keys(value);
    if (length > most) throw this.fail(name, `has ${length} token ids; at most ${most} are allowed`);
    return Object.entries(value).map(([key, number]) => {
      const id = Number(key);
      if (!/^\d+$/.test(key) || id >= vocabSize)
        throw this.fail(
          name,
          `has the key '${shortened(key, LONGEST_NAME)}', which is not a token id below ${vocabSize}`,
        );
      if (typeof number !== 'number' || !(number >= min && number <= max))
        throw this.fail(name, `must contain numbers from ${min} to ${max}; token ${id} has another value`);
      return [id, number];
    });
  }

  within(value: unknown, rules: FieldRules | null, place: string): RequestFields {
    return new RequestFields(value, rules, this.#place(place), this.ignored);
  }

  placeOf(name: string): string {
    return this.#place(name);
  }

  fail(name: string, problem: string): BadRequestError {
    return new BadRequestError(`'${this.#place(name)}' ${problem}`, this.#place(name));
  }

  #wrong(name: string, wanted: string): BadRequestError {
    return this.fail(name, `must be ${wanted}`);
  }

  #place(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }
}

/** Describes the bound that a number violates, or both bounds for a value that is not a number. */
function described({ min, max, whole = false }: Range, value: unknown): string {
  const kind = whole ? 'an integer' : 'a number';
  if (max !== Number.MAX_SAFE_INTEGER) return `${kind} from ${min} to ${max}`;
  if (typeof value === 'number' && value > max) return `${kind} of at most ${max}`;
  return min === -max ? `${kind} from ${min} to ${max}` : `${kind} of at least ${min}`;
}

/** Compares values as JSON texts, in which 1 and 1.0 are equal. */
const sameJson = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
