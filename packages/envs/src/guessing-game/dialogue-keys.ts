// Checks the keys of games in ArCHer's data files: each is read, or is known to be irrelevant to what is learned, or the file is
// refused.
import { HARMLESS_KEYS, isEmpty } from '@bowyer/core';

class DialogueKeyError extends Error {
  override readonly name = 'DialogueKeyError';

  constructor(
    readonly file: string,
    /** The indices of the games that have each key. */
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
 * Looks at the keys of all games of a file.
 *
 * @param read those of a game that are read
 * @returns those that are left unread, in the order in which they were met
 * @throws {DialogueKeyError} that names each other one once
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
