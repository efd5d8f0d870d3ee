// Checks that this package reads each key in a data file, or knows it to be irrelevant to training; any other key is an error.
// Otherwise a key that excludes something from the training loss (`weight`, `mask`, `split_loss`) could be overlooked.
import { HARMLESS_KEYS, isEmpty } from '@bowyer/core';
import { DataFileError } from './data-error.js';

export { isEmpty };

interface Seen {
  first: string;
  places: Set<string>;
}

/** The paths of some kinds of objects within an item, in the syntax of jq. */
const PLACES: Readonly<Record<string, string>> = { 'a step': '.steps[]', 'a turn': '.turns[]', 'the reset': '.reset' };

export class UnreadKeys {
  readonly #leftOut = new Set<string>();
  readonly #refused = new Map<string, Seen>();

  /** @param harmless further keys that are irrelevant to training in this kind of file */
  constructor(private readonly harmless: readonly string[] = []) {}

  /**
   * @param of the kind of object, such as `an item` or `a message`
   * @param place of the item in the file, such as `line 3`
   * @param read the keys that this package reads
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

  /** Records something in a file that is not trained on, so that the user is informed about it as about an ignored key. */
  leaveOut(what: string): void {
    this.#leftOut.add(what);
  }

  refuse(what: string, place: string): void {
    const seen = this.#refused.get(what) ?? { first: place, places: new Set() };
    seen.places.add(place);
    this.#refused.set(what, seen);
  }

  /** Returns the keys and other contents of the file that training ignores, in the order of their first occurrence. */
  get leftOut(): string[] {
    return [...this.#leftOut];
  }

  /** Throws DataFileError that lists each unknown key once. */
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
