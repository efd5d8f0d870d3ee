// Checks that each key of a data file is read, or is known to be irrelevant to what is learned; else the file is refused. A key
// that a user wrote to leave something out of the loss (`weight`, `mask`, `split_loss`) must not be overlooked.
import { HARMLESS_KEYS, isEmpty } from '@bowyer/core';
import { DataFileError } from './data-error.js';

export { isEmpty };

interface Seen {
  first: string;
  places: Set<string>;
}

/** The path to each part of an item, in the syntax of jq. */
const PLACES: Readonly<Record<string, string>> = { 'a step': '.steps[]', 'a turn': '.turns[]', 'the reset': '.reset' };

/** The keys of a file's items that nothing reads. */
export class UnreadKeys {
  readonly #leftOut = new Set<string>();
  readonly #refused = new Map<string, Seen>();

  /** Makes an empty collection. @param harmless further keys that are irrelevant to the reader of this kind of file */
  constructor(private readonly harmless: readonly string[] = []) {}

  /**
   * Checks the keys of one object.
   *
   * @param of what has the keys: `an item`, `a message`
   * @param place of the item: `line 3`
   * @param read the keys that are read
   * @param lost further keys of this part of a format that are irrelevant to what is learned
   */
  check(
    of: string,
    place: string,
    record: Readonly<Record<string, unknown>>,
    read: readonly string[],
    lost: readonly string[] = [],
  ): void {
    for (const [key, value] of Object.entries(record)) {
      if (read.includes(key) || isEmpty(value)) continue;
      if (HARMLESS_KEYS.has(key) || this.harmless.includes(key) || lost.includes(key)) this.#leftOut.add(key);
      else this.refuse(`'${key}' of ${of}`, place);
    }
  }

  /** Notes a part of a file that is not learned, as a key that is left unread. */
  leaveOut(what: string): void {
    this.#leftOut.add(what);
  }

  refuse(what: string, place: string): void {
    const seen = this.#refused.get(what) ?? { first: place, places: new Set() };
    seen.places.add(place);
    this.#refused.set(what, seen);
  }

  /** Returns the keys that were left out, in the order in which they were met. */
  get leftOut(): string[] {
    return [...this.#leftOut];
  }

  /** Throws if keys were refused. @throws {DataFileError} that names each key once */
  throwRefused(path: string, expected: string): void {
    if (this.#refused.size === 0) return;
    const lines = [...this.#refused].map(
      ([what, { first, places }]) => `  ${what}: ${first}${places.size > 1 ? ` and ${places.size - 1} more` : ''}`,
    );
    const [, key = 'KEY', of = ''] = /^'(.*?)' of (.*)/.exec([...this.#refused.keys()][0]) ?? [];
    throw new DataFileError(
      [`${path}: it has keys that nothing reads, and their contents would be lost`, ...lines].join('\n'),
      `${expected}; to do without a key, remove it: jq -c 'del(${PLACES[of] ?? ''}.${key})' FILE > NEW`,
    );
  }
}
