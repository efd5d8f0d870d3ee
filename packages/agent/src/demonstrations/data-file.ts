// Files of items from outside: a JSON array, or one item a line (JSONL). Everything that is wrong with a file is reported at once.
import { statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { readTextLines, type ConfigProblem, type TextLine } from '@bowyer/core';

/** Bad items that a message shows; it counts the others. */
const SHOWN = 20;
const EXCERPT_LENGTH = 60;

/** An error in one item. */
export class BadItem extends Error {
  override readonly name = 'BadItem';
}

/** An error in a file, with the contents that were expected. */
export class DataFileError extends Error {
  override readonly name = 'DataFileError';

  constructor(
    readonly what: string,
    readonly expected: string,
  ) {
    super(`${what}\n  expected: ${expected}`);
  }
}

/** Why a pipe cannot be the file that a key names; null where the file is another kind. */
export function pipeProblem(key: string, path: string): ConfigProblem | null {
  if (!statSync(path, { throwIfNoEntry: false })?.isFIFO()) return null;
  return {
    key,
    message: `${key}=${path} is a pipe: the file is read more than once, and again when the run is resumed`,
    remedy: 'write its items to a file and give the path of that file',
  };
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
  try {
    const lines = readTextLines(path);
    return await itemsOf(lines, { path, expected, read });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof DataFileError || (code === undefined && !message.startsWith(path))) throw error;
    if (code === undefined) throw new DataFileError(message, expected);
    const what = code === 'ENOENT' ? `there is no file '${path}'` : `cannot read '${path}' (${code})`;
    throw new DataFileError(what, 'a JSON or JSONL file');
  }
}

interface Reading<T> {
  path: string;
  expected: string;
  read: (value: unknown, place: string) => T;
}

/** Each line is read when it is there, so that the text of the file is never whole in memory; an array is. */
async function itemsOf<T>(lines: AsyncGenerator<TextLine>, reading: Reading<T>): Promise<DataFile<T>> {
  const { path, expected, read } = reading;
  const items: DataItem<T>[] = [];
  const bad: string[] = [];
  let count = 0;
  for await (const { text, line } of lines) {
    if (text.trim() === '') continue;
    if (count === 0 && text.trimStart().startsWith('[')) return arrayOf(text, lines, reading);
    count++;
    mapItem({ place: `line ${line}`, value: text }, (value, place) => read(parsed(value), place), items, bad);
  }
  if (bad.length === 0) return { path, expected, items };
  throw (await singleValue(path, expected)) ?? badItems({ path, expected }, bad, count);
}

/** Characters of an array: the language has no longer texts. */
const LONGEST_ARRAY = 500_000_000;

async function arrayOf<T>(
  first: string,
  lines: AsyncGenerator<TextLine>,
  { path, expected, read }: Reading<T>,
): Promise<DataFile<T>> {
  const parts = [first];
  let length = first.length;
  for await (const { text } of lines) {
    parts.push(text);
    if ((length += text.length + 1) > LONGEST_ARRAY)
      throw new DataFileError(
        `${path}: an array of more than ${LONGEST_ARRAY / 1e6} MB`,
        `one item on each line: jq -c '.[]' FILE > NEW; an item is ${expected}`,
      );
  }
  return mapItems({ path, expected, items: arrayItems(path, parts.join('\n'), expected) }, read);
}

/** @throws {DataFileError} with every item that `map` refuses by throwing BadItem */
export function mapItems<T, U>(
  { path, expected, items }: DataFile<T>,
  map: (value: T, place: string) => U,
): DataFile<U> {
  const mapped: DataItem<U>[] = [];
  const bad: string[] = [];
  for (const item of items) mapItem(item, map, mapped, bad);
  if (bad.length === 0) return { path, expected, items: mapped };
  throw badItems({ path, expected }, bad, items.length);
}

function mapItem<T, U>(
  { place, value }: DataItem<T>,
  map: (value: T, place: string) => U,
  mapped: DataItem<U>[],
  bad: string[],
): void {
  try {
    mapped.push({ place, value: map(value, place) });
  } catch (error) {
    if (!(error instanceof BadItem)) throw error;
    bad.push(`  ${place}: ${error.message}`);
  }
}

function badItems(
  { path, expected }: { path: string; expected: string },
  bad: readonly string[],
  count: number,
): DataFileError {
  const more = bad.length > SHOWN ? [`  … and ${bad.length - SHOWN} more`] : [];
  const title = `${path}: ${bad.length} of ${count} items cannot be used`;
  return new DataFileError([title, ...bad.slice(0, SHOWN), ...more].join('\n'), expected);
}

function arrayItems(path: string, text: string, expected: string): DataItem<unknown>[] {
  try {
    return (JSON.parse(text) as unknown[]).map((value, i) => ({ place: `item ${i + 1}`, value }));
  } catch (error) {
    throw new DataFileError(`${path}: the array is not JSON: ${(error as Error).message}`, `an array of: ${expected}`);
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new BadItem(`is not JSON (${(error as Error).message}): ${excerpt(line.trim())}`);
  }
}

const excerpt = (text: string) => (text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text);

/** Bytes of a file that is looked at whole for a better message. */
const LOOKED_AT_WHOLE = 100_000_000;

/** The remedy for lines that are bad because the file is one value over several lines. */
async function singleValue(path: string, expected: string): Promise<DataFileError | null> {
  try {
    if ((await stat(path)).size > LOOKED_AT_WHOLE) return null;
    const text = (await readFile(path, 'utf8')).trim();
    if (!text.includes('\n')) return null;
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
