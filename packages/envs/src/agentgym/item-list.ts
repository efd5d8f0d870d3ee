// Reads AgentGym's lists of problems: JSON files of recorded episodes or of item_ids; "textcraft_17" means problem 17.
import { readFileSync } from 'node:fs';
import { utf8Text } from '@bowyer/core';

export class ItemListError extends Error {
  override readonly name = 'ItemListError';

  constructor(path: string, problem: string) {
    super(
      `${path}: ${problem}\n  give AgentGym's list of problems: a JSON array or JSON lines of {"item_id": "NAME_NUMBER", …}, ` +
        'of such ids, or of numbers',
    );
  }
}

/** Returns the problems' numbers without repetitions, in the file's order. @throws ItemListError for other files */
export function readItemNumbers(path: string): number[] {
  let entries: unknown[];
  try {
    entries = parseEntries(utf8Text(readFileSync(path), path));
  } catch (error) {
    throw new ItemListError(path, (error as Error).message);
  }
  const numbers = entries.map((entry, place) => {
    const number = numberOf(entry);
    if (number === null) throw new ItemListError(path, `entry ${place + 1} has no number: ${JSON.stringify(entry)}`);
    return number;
  });
  if (numbers.length === 0) throw new ItemListError(path, 'the list is empty');
  return [...new Set(numbers)];
}

function parseEntries(text: string): unknown[] {
  if (text.trimStart().startsWith('[')) return JSON.parse(text) as unknown[];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => JSON.parse(line) as unknown);
}

function numberOf(entry: unknown): number | null {
  const id =
    typeof entry === 'object' && entry !== null && 'item_id' in entry ? (entry as { item_id: unknown }).item_id : entry;
  if (typeof id === 'number') return Number.isInteger(id) ? id : null;
  const digits = typeof id === 'string' ? /(?:^|_)(\d+)$/.exec(id)?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}
