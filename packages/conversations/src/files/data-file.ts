// Reads users' data files: a JSON array, JSON lines, Parquet, or a folder of such files. The errors of all items are reported
// together.
import { readFile, stat } from 'node:fs/promises';
import { readProblem, readTextLines, type ConfigProblem, type TextLine } from '@bowyer/core';
import { BadItem, DataFileError, found } from './data-error.js';
import { dataFilesOf, nameIn, statOf } from './data-folder.js';
import { jsonValue } from './json-value.js';
import { readParquetRows } from './parquet-rows.js';

/** The most bad items that an error message lists; it counts the others. */
const SHOWN = 20;
const EXCERPT_LENGTH = 60;

/** Returns a problem of the config if the file that the option `key` names is a pipe, which cannot be read several times. */
export function pipeProblem(key: string, path: string): ConfigProblem | null {
  if (!statOf(path)?.isFIFO()) return null;
  return {
    key,
    message: `${key}=${path} is a pipe: the file is read more than once, and again when the run is resumed`,
    remedy: 'write its items to a file and give the path of that file',
  };
}

export interface DataItem<T> {
  /** The item's place in the file: `line 3` or `item 3`, counted from 1. */
  place: string;
  value: T;
}

/** The items of a data file. @param expected description of a valid item, for error messages */
export interface DataFile<T> {
  path: string;
  expected: string;
  items: readonly DataItem<T>[];
}

export interface DataFileOptions {
  /** The split to read, for a folder with files of several splits; default: null, for a folder with one split. */
  split?: string | null;
  /** Returns whether the value of a file that is one JSON object over several lines is a single item; default: it never is. */
  isWhole?: (value: unknown) => boolean;
}

/**
 * Returns the items of a file, or of the files in a folder, in their order. Empty lines are skipped.
 *
 * @param read converts a JSON value to an item, or throws BadItem
 * @param expected description of a valid item, for error messages
 * @throws {DataFileError} with every item that is not JSON or that `read` refuses
 */
export async function readDataFile<T>(
  path: string,
  read: (value: unknown, place: string) => T,
  expected: string,
  { split = null, isWhole = () => false }: DataFileOptions = {},
): Promise<DataFile<T>> {
  const results: Mapped<T>[] = [];
  for (const file of dataFilesOf(path, split)) {
    const named = (value: unknown, place: string) => read(value, `${nameIn(path, file)}${place}`);
    results.push(await readOneFile({ path: file, expected, read: named, isWhole, prefix: nameIn(path, file) }));
  }
  const bad = results.flatMap((result) => result.bad);
  const count = results.reduce((sum, result) => sum + result.count, 0);
  if (bad.length > 0) throw badItems({ path, expected }, bad, count);
  return { path, expected, items: results.flatMap(({ items }) => items) };
}

async function readOneFile<T>(reading: Reading<T>): Promise<Mapped<T>> {
  const { path, expected } = reading;
  try {
    return await (path.endsWith('.parquet') ? rowsOf(reading) : itemsOf(readTextLines(path), reading));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof DataFileError || (code === undefined && !message.startsWith(path))) throw error;
    if (code === undefined) throw new DataFileError(message, expected);
    const what =
      code === 'ENOENT'
        ? `there is no file '${path}'`
        : `cannot read '${path}': ${readProblem(error as NodeJS.ErrnoException)}`;
    throw new DataFileError(what, 'a JSON or JSONL file');
  }
}

interface Reading<T> extends Required<Pick<DataFileOptions, 'isWhole'>> {
  path: string;
  expected: string;
  read: (value: unknown, place: string) => T;
  /** The text before the place of each item in messages: the file's name if a folder is read, otherwise ''. */
  prefix: string;
}

class Mapped<T> {
  readonly items: DataItem<T>[] = [];
  readonly bad: string[] = [];
  count = 0;

  constructor(private readonly prefix = '') {}

  add<V>({ place, value }: DataItem<V>, map: (value: V, place: string) => T): void {
    this.count++;
    mapItem({ place: `${this.prefix}${place}`, value }, (each) => map(each, place), this.items, this.bad);
  }
}

/** Parses JSON lines one by one, so that the whole file is never in memory; a JSON array is parsed as a whole. */
async function itemsOf<T>(lines: AsyncGenerator<TextLine>, reading: Reading<T>): Promise<Mapped<T>> {
  const { path, expected, read, prefix } = reading;
  const mapped = new Mapped<T>(prefix);
  for await (const { text, line } of lines) {
    if (text.trim() === '') continue;
    // `await` is needed: returning before the array is read would leave the loop and close the iterator of lines.
    if (mapped.count === 0 && text.trimStart().startsWith('[')) return await arrayOf(text, lines, reading);
    mapped.add({ place: `line ${line}`, value: text }, (value, place) => read(parsed(value), place));
  }
  if (mapped.bad.length === 0) return mapped;
  const whole = await wholeValue(path);
  if (whole === undefined) return mapped;
  if (!reading.isWhole(whole)) throw overSeveralLines(path, whole, expected);
  const single = new Mapped<T>(prefix);
  single.add({ place: 'item 1', value: whole }, read);
  return single;
}

async function rowsOf<T>({ path, read, prefix }: Reading<T>): Promise<Mapped<T>> {
  const mapped = new Mapped<T>(prefix);
  for await (const { value, row } of readParquetRows(path)) mapped.add({ place: `row ${row}`, value }, read);
  return mapped;
}

/** The most characters of a file that is a JSON array, near V8's limit for strings. */
const LONGEST_ARRAY = 500_000_000;

async function arrayOf<T>(
  first: string,
  lines: AsyncGenerator<TextLine>,
  { path, expected, read, prefix }: Reading<T>,
): Promise<Mapped<T>> {
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
  const mapped = new Mapped<T>(prefix);
  for (const item of arrayItems(path, parts.join('\n'), expected)) mapped.add(item, read);
  return mapped;
}

/** Converts all items of a file with `map`. @throws {DataFileError} with every item that `map` refuses with BadItem */
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
    return (jsonValue(text) as unknown[]).map((value, i) => ({ place: `item ${i + 1}`, value }));
  } catch (error) {
    if (error instanceof BadItem)
      throw new DataFileError(`${path}: the array ${error.message}`, `an array of: ${expected}`);
    throw new DataFileError(`${path}: the array is not JSON: ${(error as Error).message}`, `an array of: ${expected}`);
  }
}

function parsed(line: string): unknown {
  try {
    return jsonValue(line);
  } catch (error) {
    if (error instanceof BadItem) throw error;
    throw new BadItem(`is not JSON (${(error as Error).message}): ${excerpt(line.trim())}`);
  }
}

const excerpt = (text: string) => (text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text);

/** The largest file, in bytes, that is parsed as one JSON value after some of its lines were found not to be items. */
const LOOKED_AT_WHOLE = 100_000_000;

/** Returns the JSON value of a file that contains only one, over several lines; undefined for other files. */
async function wholeValue(path: string): Promise<unknown> {
  try {
    if ((await stat(path)).size > LOOKED_AT_WHOLE) return undefined;
    const text = (await readFile(path, 'utf8')).trim();
    if (!text.includes('\n')) return undefined;
    JSON.parse(text); // throws unless the text is a single value; else its lines are read one by one
    return jsonValue(text);
  } catch (error) {
    if (error instanceof BadItem)
      throw new DataFileError(`${path}: the file ${error.message}`, 'one value, of few levels and without a key twice');
    return undefined;
  }
}

const overSeveralLines = (path: string, value: unknown, expected: string): DataFileError =>
  new DataFileError(
    `${path}: the file is ${found(value)} over several lines`,
    `an array, or one item on each line: ${expected}`,
  );
