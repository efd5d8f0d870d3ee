// Reads recorded games from data files in ArCHer's format. A key of a game that is neither read nor known to be irrelevant to
// training is an error.
import { readFile } from 'node:fs/promises';
import { HARMLESS_KEYS, isEmpty, utf8Text } from '@bowyer/core';
import type { DialogueFile } from './dialogue-set.js';

class DialogueFileError extends Error {
  override readonly name = 'DialogueFileError';
}

/** Makes the error for a fault in a field of a recorded game; field null: in the game itself. */
export type GameFault = (field: string | null, problem: string) => Error;

interface GameForm<Game> {
  /** An example of a valid game, which error messages show. */
  expected: string;
  keys: readonly string[];
  gameOf: (entry: Readonly<Record<string, unknown>>, fault: GameFault) => Game;
}

/** Reads a file of recorded games. @throws an error with the position of the first fault */
export async function readGames<Game>(
  file: string,
  { expected, keys, gameOf }: GameForm<Game>,
): Promise<DialogueFile<Game>> {
  const failed = (place: string, problem: string) =>
    new DialogueFileError(`${file}${place}: ${problem}\n  expected: [${expected}, …]`);
  let data: unknown;
  try {
    data = JSON.parse(utf8Text(await readFile(file), file));
  } catch (error) {
    throw failed('', `cannot be read as JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(data)) throw failed('', `contains ${kindOf(data)}, not an array`);
  const dialogues = data.map((entry: unknown, index) => {
    const fault: GameFault = (field, problem) => failed(`[${index}]${field === null ? '' : `.${field}`}`, problem);
    if (typeof entry !== 'object' || entry === null) throw fault(null, `is ${kindOf(entry)}, not an object`);
    return gameOf(entry as Record<string, unknown>, fault);
  });
  return { dialogues, leftOut: unreadKeysOf(file, data as object[], keys) };
}

export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

class DialogueKeyError extends Error {
  override readonly name = 'DialogueKeyError';

  constructor(
    readonly file: string,
    /** For each unknown key, the indices of the games that have it. */
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
 * Returns the keys of the recorded games that are not read and are irrelevant to training, in the order of their occurrence.
 * @throws {DialogueKeyError} with the keys that are neither read nor irrelevant
 */
function unreadKeysOf(file: string, games: readonly object[], read: readonly string[]): string[] {
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
