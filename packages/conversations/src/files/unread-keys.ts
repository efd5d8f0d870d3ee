// Checks that each key of a data file is read, or is irrelevant to training; any other key is an error. Keys that exclude
// something from the loss (`weight`, `mask`, `split_loss`) must not be overlooked.
import { HARMLESS_KEYS, isEmpty } from '@bowyer/core';
import { DataFileError } from './data-error.js';

export { isEmpty };

interface Seen {
  first: string;
  places: Set<string>;
}

/** The paths of parts of an item, in the syntax of jq. */
const PLACES: Readonly<Record<string, string>> = { 'a step': '.steps[]', 'a turn': '.turns[]', 'the reset': '.reset' };

/** Collects the keys of a file that nothing reads. */
export class UnreadKeys {
  readonly #leftOut = new Set<string>();
  readonly #refused = new Map<string, Seen>();

  /** Creates an empty collection. @param harmless further keys that are irrelevant for this kind of file */
  constructor(private readonly harmless: readonly string[] = []) {}

  /**
   * Checks the keys of an object.
   *
   * @param of the kind of object: `an item`, `a message`
   * @param place of the item: `line 3`
   * @param read the keys that are read
   * @param lost further keys of this kind of object that are irrelevant to training
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

  /** Records a part of a file that is not trained on, like an ignored key. */
  leaveOut(what: string): void {
    this.#leftOut.add(what);
  }

  refuse(what: string, place: string): void {
    const seen = this.#refused.get(what) ?? { first: place, places: new Set() };
    seen.places.add(place);
    this.#refused.set(what, seen);
  }

  /** The ignored keys, in the order of their first occurrence. */
  get leftOut(): string[] {
    return [...this.#leftOut];
  }

  /** Throws if there were unknown keys. @throws {DataFileError} with each of them once */
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
