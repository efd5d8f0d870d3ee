// Reads the JSON body of a REST request that begins, rewards or ends a rollout. Unknown fields are refused by name.
import { BadRequestError } from '@bowyer/serving';

/** The largest number of characters of a text field, bounded since keys and names stay in memory as long as their rollout. */
const LONGEST_TEXT = 4_096;
const LONGEST_NAME = 256;

export class RolloutBody {
  readonly #fields: Record<string, unknown>;

  /** Wraps a request's body. @param known names of the allowed fields; null: any field is allowed */
  constructor(body: unknown, known: readonly string[] | null) {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new BadRequestError('the body must be an object of JSON');
    this.#fields = body as Record<string, unknown>;
    const unknown = known && Object.keys(body).find((name) => !known.includes(name));
    if (typeof unknown === 'string')
      throw new BadRequestError(
        `Unknown field '${unknown}'; known: ${known!.join(', ')}`,
        unknown,
        'unknown_parameter',
      );
  }

  /** Returns a field that must be a text. @param longest in characters */
  text(name: string, longest = LONGEST_TEXT): string | undefined {
    const value = this.#fields[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw new BadRequestError(`'${name}' must be a string`, name);
    if (value.length > longest)
      throw new BadRequestError(`'${name}' has ${value.length} characters; it may have ${longest}`, name);
    return value;
  }

  has(name: string): boolean {
    return (this.#fields[name] ?? null) !== null;
  }

  textOrObject(name: string): string | object | undefined {
    const value = this.#fields[name] ?? undefined;
    if (value === undefined || typeof value === 'string' || (typeof value === 'object' && !Array.isArray(value)))
      return value;
    throw new BadRequestError(`'${name}' must be a text or an object`, name);
  }

  /** Returns a field that must be a number. @throws if it is missing or not a number */
  number(name: string): number {
    const value = this.#fields[name];
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw new BadRequestError(`'${name}' must be a finite number`, name);
  }

  count(name: string): number | undefined {
    const value = this.#fields[name];
    if (value === undefined || value === null) return undefined;
    if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
    throw new BadRequestError(`'${name}' must be an integer, at least 0`, name);
  }

  numbers(): Record<string, number> {
    const long = Object.keys(this.#fields).find((name) => name.length > LONGEST_NAME);
    if (long !== undefined)
      throw new BadRequestError(
        `the name of a metric has ${long.length} characters; it may have ${LONGEST_NAME}`,
        long,
      );
    return Object.fromEntries(Object.keys(this.#fields).map((name) => [name, this.number(name)]));
  }
}
