// Files of items from outside: a JSON array, or one item a line (JSONL). Everything that is wrong with a file is reported at once.
import { utf8Text } from '@bowyer/core';
import { readParts } from '@bowyer/logging';

/** Bad items that a message shows; it counts the others. */
const SHOWN = 20;
const EXCERPT_LENGTH = 60;

/** What is wrong with one item. */
export class BadItem extends Error {
  override readonly name = 'BadItem';
}

/** What is wrong with a file, and what was expected of it. */
export class DataFileError extends Error {
  override readonly name = 'DataFileError';

  constructor(
    readonly what: string,
    readonly expected: string,
  ) {
    super(`${what}\n  expected: ${expected}`);
  }
}

export interface DataItem<T> {
  /** Which one it is, as people count: `line 3` or `item 3`. */
  place: string;
  value: T;
}

/** @param expected what an item is, for the message */
export interface DataFile<T> {
  path: string;
  expected: string;
  items: readonly DataItem<T>[];
}

/**
 * The items of a file in order; empty lines are left out.
 *
 * @param read the item of a JSON value; throws BadItem
 * @param expected what an item is
 * @throws {DataFileError} with every item that is not JSON or that `read` refuses
 */
export async function readDataFile<T>(
  path: string,
  read: (value: unknown, place: string) => T,
  expected: string,
): Promise<DataFile<T>> {
  const bytes = await readParts(path).catch((error: NodeJS.ErrnoException) => {
    const what =
      error.code === 'ENOENT' ? `there is no file '${path}'` : `cannot read '${path}' (${error.code ?? error.message})`;
    throw new DataFileError(what, 'a JSON or JSONL file');
  });
  const text = utf8Text(bytes, path);
  const items = text.trimStart().startsWith('[') ? arrayItems(path, text, expected) : lineItems(text);
  try {
    return mapItems({ path, expected, items }, (item, place) => read(item(), place));
  } catch (error) {
    throw singleValue(path, text, expected) ?? error;
  }
}

/** @throws {DataFileError} with every item that `map` refuses by throwing BadItem */
export function mapItems<T, U>(
  { path, expected, items }: DataFile<T>,
  map: (value: T, place: string) => U,
): DataFile<U> {
  const mapped: DataItem<U>[] = [];
  const bad: string[] = [];
  for (const { place, value } of items) {
    try {
      mapped.push({ place, value: map(value, place) });
    } catch (error) {
      if (!(error instanceof BadItem)) throw error;
      bad.push(`  ${place}: ${error.message}`);
    }
  }
  if (bad.length === 0) return { path, expected, items: mapped };
  const more = bad.length > SHOWN ? [`  … and ${bad.length - SHOWN} more`] : [];
  const title = `${path}: ${bad.length} of ${items.length} items cannot be used`;
  throw new DataFileError([title, ...bad.slice(0, SHOWN), ...more].join('\n'), expected);
}

type Unread = DataItem<() => unknown>;

function arrayItems(path: string, text: string, expected: string): Unread[] {
  try {
    return (JSON.parse(text) as unknown[]).map((value, i) => ({ place: `item ${i + 1}`, value: () => value }));
  } catch (error) {
    throw new DataFileError(`${path}: the array is not JSON: ${(error as Error).message}`, `an array of: ${expected}`);
  }
}

const lineItems = (text: string): Unread[] =>
  text.split('\n').flatMap((line, i) => {
    const place = `line ${i + 1}`;
    return line.trim() === '' ? [] : [{ place, value: () => parsed(line) }];
  });

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new BadItem(`is not JSON (${(error as Error).message}): ${excerpt(line.trim())}`);
  }
}

const excerpt = (text: string) => (text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text);

/** Where lines are bad because the file is one value over several lines. */
function singleValue(path: string, text: string, expected: string): DataFileError | null {
  if (text.trimStart().startsWith('[') || !text.trim().includes('\n')) return null;
  try {
    return new DataFileError(
      `${path}: the file is ${found(JSON.parse(text))} over several lines`,
      `an array, or one item on each line: ${expected}`,
    );
  } catch {
    return null;
  }
}

/** A JSON value in a few words. */
export function found(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'an array';
  if (value === null) return 'null';
  if (typeof value !== 'object')
    return `the ${typeof value === 'string' ? 'text' : typeof value} ${JSON.stringify(value)}`;
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an object without keys' : `an object with the keys ${keys.slice(0, 8).join(', ')}`;
}

export const asRecord = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
