// Reads tasks in a file of JSON lines or CSV: each line is read by its environment, and all lines that cannot be used are
// reported at once.
import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { hash32 } from '@bowyer/core';
import type { Split } from './contract/env.js';
import { listedSplits, type SplitPlan } from './splits.js';
import { readTable, splitNamed, type Row } from './table-file.js';

/** The part of a task that all environments share. */
export interface LineTask {
  id: string;
  /** The split; null: the line names none. */
  split: Split | null;
}

/** The error for lines of a file that cannot be used. The message names the file, and each line with its fault. */
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

/** The error for a line that cannot be used, with the reason in its message. */
export class LineError extends Error {}

/** The files that were read last, since every environment of a run reads the same ones. */
const read = new Map<string, { changed: number; tasks: readonly LineTask[] }>();

/**
 * Reads a file.
 *
 * @param taskOf reads one line, and throws a `LineError` where it cannot be used
 * @param variant the settings that `taskOf` depends on
 * @throws {TaskFileError} with every line that cannot be used
 */
export function readTasks<Task extends LineTask>(
  environment: string,
  path: string,
  taskOf: (row: Row) => Task,
  variant = '',
): readonly Task[] {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? NaN;
  const key = `${environment}/${variant}/${path}`;
  const known = read.get(key);
  if (known?.changed === changed) return known.tasks as readonly Task[];
  const tasks = parseTasks(environment, path, taskOf);
  read.set(key, { changed, tasks });
  return tasks;
}

function parseTasks<Task extends LineTask>(environment: string, path: string, taskOf: (row: Row) => Task): Task[] {
  const fault = (line: number | null, problem: string) => new TaskFileError(environment, path, [{ line, problem }]);
  const { rows, faults } = readTable(path, fault);
  const tasks: Task[] = [];
  const lines = new Map<string, number>();
  for (const row of rows)
    try {
      const task = taskOf(row);
      const earlier = lines.get(task.id);
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

/** Returns the text of a cell, a number as one; null where it is missing or empty. */
export function textCell({ cells }: Row, name: string): string | null {
  const value = cells[name];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new LineError(`${name} must be a text or a number; it is ${JSON.stringify(value).slice(0, 60)}`);
}

/**
 * Returns the value of a column that has several names; undefined where none of them is given. Files that have it twice are read where both
 * values are equal: DeepSeek's copy of MultiPL-E has `tests` and `test`.
 * @throws {LineError} where two values differ
 */
export function cellOf({ cells }: Row, names: readonly string[]): unknown {
  const given = names.filter((name) => cells[name] !== undefined && cells[name] !== null && cells[name] !== '');
  const other = given.find((name) => !isDeepStrictEqual(cells[name], cells[given[0]]));
  if (other !== undefined) throw new LineError(`${given[0]} and ${other} are both given, and differ: keep one`);
  return given.length === 0 ? undefined : cells[given[0]];
}

/** Returns the id of a line: its own, else a hash of the text in which tasks differ. */
export function lineId({ cells }: Row, names: readonly string[], text: string): string {
  const name = names.find((candidate) => cells[candidate] !== undefined && cells[candidate] !== null);
  const value = name === undefined ? undefined : cells[name];
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (value !== undefined) throw new LineError(`${name} must be a text or a number`);
  return hash32(text).toString(16).padStart(8, '0');
}

export function lineSplit(row: Row): Split | null {
  const name = textCell(row, 'split');
  if (name === null) return null;
  const split = splitNamed(name);
  if (split === undefined) throw new LineError(`split ${JSON.stringify(name)} must be train, eval or test`);
  return split;
}

/** Returns the tasks for `listedSplits`, as their lines say, training tasks by default; a list to be divided where no line names a split. */
export function tasksBySplit<Task extends LineTask>(
  tasks: readonly Task[],
): readonly Task[] | Record<Split, readonly Task[]> {
  if (tasks.every(({ split }) => split === null)) return tasks;
  const of = (split: Split) => tasks.filter((task) => (task.split ?? 'train') === split);
  return { train: of('train'), eval: of('eval'), test: of('test') };
}

/** Returns the plan of a file whose tasks are named by their numbers. @param where the tasks that are listed; absent: all */
export const numberedTasks = <Task extends LineTask>(
  tasks: readonly Task[],
  where?: (task: Task) => boolean,
): SplitPlan =>
  listedSplits<Task>({
    noun: 'tasks',
    items: tasksBySplit(tasks),
    reset: (task) => ({ task: tasks.indexOf(task) }),
    id: ({ id }) => id,
    ...(where && { where }),
  });
