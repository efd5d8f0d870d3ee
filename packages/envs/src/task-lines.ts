// Reads the tasks of an environment from a file of JSON lines or CSV. Each environment converts the lines to tasks by its own
// function, and all lines that cannot be used are reported together.
import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { hash32 } from '@bowyer/core';
import type { Split } from './contract/env.js';
import { readTable, splitNamed, type Row } from './table-file.js';

export interface LineTask {
  id: string;
  /** The split that the task's line names; null if it names none. */
  split: Split | null;
}

/** The error for a task file with lines that cannot be used. Its message has the file, each line and its fault. */
class TaskFileError extends Error {
  override readonly name = 'TaskFileError';

  constructor(
    environment: string,
    readonly path: string,
    readonly faults: readonly { line: number | null; problem: string }[],
  ) {
    const shown = faults.slice(0, SHOWN);
    const lines = shown.map(({ line, problem }) => `  ${line === null ? '' : `line ${line}: `}${problem}`);
    const more = faults.length > SHOWN ? [`  … and ${faults.length - SHOWN} more lines`] : [];
    super([`${environment}: ${path} cannot be used`, ...lines, ...more].join('\n'));
  }
}

const SHOWN = 20;

/** The error for one line that cannot be used. Its message has the reason. */
export class LineError extends Error {}

/** A cache of the files that were read last, since all environments of a run read the same file. */
const read = new Map<string, { changed: number; tasks: readonly unknown[] }>();

interface Reading {
  /** The settings on which the result of `taskOf` depends; they are a part of the cache's key. */
  variant?: string;
  /** Whether two tasks may have the same id, since some datasets contain a question twice. */
  mayRepeat?: boolean;
}

/** @param taskOf converts a line, or throws a `LineError` @throws {TaskFileError} with every line that cannot be used */
export function readTasks<Task extends LineTask>(
  environment: string,
  path: string,
  taskOf: (row: Row) => Task,
  { variant = '', mayRepeat = false }: Reading = {},
): readonly Task[] {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? NaN;
  const key = `${environment}/${variant}/${path}`;
  const known = read.get(key);
  if (known?.changed === changed) return known.tasks as readonly Task[];
  const tasks = parseTasks(environment, path, taskOf, mayRepeat);
  read.set(key, { changed, tasks });
  return tasks;
}

function parseTasks<Task extends LineTask>(
  environment: string,
  path: string,
  taskOf: (row: Row) => Task,
  mayRepeat: boolean,
): Task[] {
  const fault = (line: number | null, problem: string) => new TaskFileError(environment, path, [{ line, problem }]);
  const { rows, faults } = readTable(path, fault);
  const tasks: Task[] = [];
  const lines = new Map<string, number>();
  for (const row of rows)
    try {
      const task = taskOf(row);
      const earlier = mayRepeat ? undefined : lines.get(task.id);
      if (earlier !== undefined) throw new LineError(`the id ${JSON.stringify(task.id)} is that of line ${earlier}`);
      lines.set(task.id, row.line);
      tasks.push(task);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      faults.push({ line: row.line, problem: error.message });
    }
  if (faults.length > 0)
    throw new TaskFileError(
      environment,
      path,
      faults.sort((a, b) => a.line - b.line),
    );
  if (tasks.length === 0) throw fault(null, 'it contains no task');
  return tasks;
}

/** Returns the cell of a column as text; null if it is missing or empty. */
export function textCell({ cells }: Row, name: string): string | null {
  const value = cells[name];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new LineError(`${name} must be a text or a number; it is ${JSON.stringify(value).slice(0, 60)}`);
}

/**
 * Returns the cell of a column that may have several names; undefined if there is none. @throws {LineError} if two columns have
 * different values (DeepSeek's copy of MultiPL-E has `tests` and `test` with equal ones)
 */
export function cellOf({ cells }: Row, names: readonly string[]): unknown {
  const given = names.filter((name) => cells[name] !== undefined && cells[name] !== null && cells[name] !== '');
  const other = given.find((name) => !isDeepStrictEqual(cells[name], cells[given[0]]));
  if (other !== undefined) throw new LineError(`${given[0]} and ${other} are both given, and differ: keep one`);
  return given.length === 0 ? undefined : cells[given[0]];
}

/** Returns the cell of the first of these columns that the file has, as trimmed text; empty if it has none of them. */
export function firstText({ cells }: Row, names: readonly string[]): string {
  const name = names.find((candidate) => Object.hasOwn(cells, candidate));
  const value = name === undefined ? undefined : cells[name];
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number') return String(value);
  throw new LineError(`${name} must be a text or a number`);
}

/** Returns the id of a line's task: the cell of one of these columns, else a hash of the text in which tasks differ. */
export function lineId({ cells }: Row, names: readonly string[], text: string): string {
  const name = names.find((candidate) => cells[candidate] !== undefined && cells[candidate] !== null);
  const value = name === undefined ? undefined : cells[name];
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (value !== undefined) throw new LineError(`${name} must be a text or a number`);
  return hashedId(text);
}

export const hashedId = (text: string): string => hash32(text).toString(16).padStart(8, '0');

export function lineSplit(row: Row): Split | null {
  const name = textCell(row, 'split');
  if (name === null) return null;
  const split = splitNamed(name);
  if (split === undefined) throw new LineError(`split ${JSON.stringify(name)} must be train, eval or test`);
  return split;
}
