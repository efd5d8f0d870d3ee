// Reads the rows of tables, such as task files, from JSON lines or from CSV with a header.
import { readFileSync } from 'node:fs';
import { repeatedKeyProblem } from '@bowyer/core';
import { CsvError, parse } from 'csv-parse/sync';
import type { Split } from './contract/env.js';
import { repeatedKey } from './json-text.js';

export interface Row {
  /** The number of the line in the file, from 1. */
  line: number;
  cells: Readonly<Record<string, unknown>>;
  /** The JSON text of the line; absent for CSV, whose cells are all texts. */
  json?: string;
}

/** Makes an error that names the file. @param line number of the faulty line; null: the fault concerns the whole file */
type TableFault = (line: number | null, problem: string) => Error;

const splitNames: Readonly<Record<string, Split>> = {
  train: 'train',
  training: 'train',
  test: 'test',
  eval: 'eval',
  validation: 'eval',
  valid: 'eval',
  val: 'eval',
  dev: 'eval',
};

/** Returns the split that a dataset's name for it (such as `validation`) means; undefined for unknown names. */
export const splitNamed = (name: string): Split | undefined =>
  Object.hasOwn(splitNames, name.toLowerCase()) ? splitNames[name.toLowerCase()] : undefined;

/** The rows of a table, and the errors of the lines that cannot be read. */
export interface Table {
  rows: Row[];
  faults: { line: number; problem: string }[];
}

/** Reads a table. @param path ends with `.csv` or `.jsonl` @throws the error of `fault` if the whole file cannot be read */
export function readTable(path: string, fault: TableFault): Table {
  const text = readText(path, fault);
  return path.endsWith('.csv') ? { rows: csvRows(text, fault), faults: [] } : rowsOfJson(text);
}

function readText(path: string, fault: TableFault): string {
  if (!/\.(?:csv|jsonl)$/.test(path)) throw fault(null, 'is neither .csv nor .jsonl');
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw fault(null, `cannot be read: ${(error as Error).message}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes); // it also removes a byte order mark
  } catch {
    throw fault(null, 'is not UTF-8; save it as UTF-8, or convert it: iconv -f LATIN1 -t UTF-8');
  }
}

function csvRows(text: string, fault: TableFault): Row[] {
  try {
    const records = parse<{ info: { lines: number }; record: Record<string, string> }>(text, {
      columns: (names: string[]) => {
        const twice = names.find((name, i) => name !== '' && names.indexOf(name) < i);
        if (twice === undefined) return names;
        throw fault(1, `has the column '${twice}' twice, of which one would be lost; remove one`);
      },
      info: true,
      skip_empty_lines: true,
      trim: true,
    });
    return records.map(({ info, record }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw fault(Number(error.lines) || null, `is not CSV: ${error.message}`);
  }
}

function rowsOfJson(text: string): Table {
  const read: Table = { rows: [], faults: [] };
  for (const [index, content] of text.split('\n').entries()) {
    if (content.trim() === '') continue;
    const line = index + 1;
    let cells: unknown;
    try {
      cells = JSON.parse(content);
    } catch (error) {
      read.faults.push({ line, problem: `is not JSON: ${(error as Error).message}` });
      continue;
    }
    const twice = repeatedKey(content);
    if (typeof cells !== 'object' || cells === null || Array.isArray(cells))
      read.faults.push({ line, problem: 'is not a JSON object' });
    else if (twice !== null)
      read.faults.push({
        line,
        problem: repeatedKeyProblem(twice),
      });
    else read.rows.push({ line, cells: cells as Record<string, unknown>, json: content });
  }
  return read;
}
