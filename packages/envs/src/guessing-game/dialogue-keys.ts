// Checks the keys of games in ArCHer's data files: each must be read, or known to be irrelevant to training; any other key is an
// error.
import { HARMLESS_KEYS, isEmpty } from '@bowyer/core';

class DialogueKeyError extends Error {
  override readonly name = 'DialogueKeyError';

  constructor(
    readonly file: string,
    /** The indices of the games that have each unknown key. */
    readonly keys: ReadonlyMap<string, readonly number[]>,
  ) {
    const lines = [...keys].map(
      ([key, [first, ...more]]) => `  '${key}': [${first}]${more.length > 0 ? ` and ${more.length} more` : ''}`,
    );
    const [key] = keys.keys();
    super(
      [
        `${file}: games have keys that nothing reads, and their contents would be lost`,
        ...lines,
        `  to do without a key, remove it: jq 'map(del(.${key}))' FILE > NEW`,
      ].join('\n'),
    );
  }
}

/**
 * Checks the keys of all games in a file.
 *
 * @param read the keys that the caller reads
 * @returns the irrelevant keys in the file, in order of their first occurrence
 * @throws {DialogueKeyError} with all other keys
 */
export function unreadKeysOf(file: string, games: readonly object[], read: readonly string[]): string[] {
  const leftOut = new Set<string>();
  const refused = new Map<string, number[]>();
  games.forEach((game, index) => {
    for (const [key, value] of Object.entries(game)) {
      if (read.includes(key) || isEmpty(value)) continue;
      if (HARMLESS_KEYS.has(key)) leftOut.add(key);
      else refused.set(key, [...(refused.get(key) ?? []), index]);
    }
  });
  if (refused.size > 0) throw new DialogueKeyError(file, refused);
  return [...leftOut];
}
