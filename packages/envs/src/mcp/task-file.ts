// Files of tasks: JSON lines (or CSV, for tasks of texts alone).
import { statSync } from 'node:fs';
import { isAbsolute, normalize, sep } from 'node:path';
import type { Split } from '../contract/env.js';
import { nearestName } from '../contract/unknown-name-error.js';
import { readRows, splitNamed, type Row } from '../table-file.js';

/** A call of a tool. */
export interface ToolCall {
  name: string;
  arguments: Readonly<Record<string, unknown>>;
}

/** A step of an expert: a call, or the answer that ends the episode. */
export type ExpertStep = ToolCall | { answer: string };

export interface McpTask {
  id: string;
  /** The question or instruction for the agent. */
  prompt: string;
  split: Split | null;
  /** The kind of task, for breakdowns. */
  kind: string | null;
  /** Null where only a checker knows what is right. */
  answer: string | null;
  /** URIs of resources that the first observation contains. */
  resources: readonly string[];
  /** Texts of files in the folder of the episode, by their paths there. */
  files: Readonly<Record<string, string>>;
  /** Null where the task has no expert. */
  expert: readonly ExpertStep[] | null;
  /** The whole row, for a checker. */
  row: Readonly<Record<string, unknown>>;
}

/** Fields of a row that the environment itself reads. */
export const taskFields = ['id', 'prompt', 'split', 'kind', 'answer', 'resources', 'files', 'expert'] as const;

/** Rows of a file cannot be used. The message names the file, and each line with its fault. */
export class McpTaskFileError extends Error {
  override readonly name = 'McpTaskFileError';

  constructor(
    readonly path: string,
    readonly faults: readonly { line: number | null; problem: string }[],
  ) {
    const lines = faults
      .slice(0, SHOWN)
      .map(({ line, problem }) => `  ${line === null ? '' : `line ${line}: `}${problem}`);
    const more = faults.length > SHOWN ? [`  … and ${faults.length - SHOWN} more lines`] : [];
    super([`mcp: the tasks of ${path} cannot be used`, ...lines, ...more].join('\n'));
  }
}

const SHOWN = 10;

/** The last files, since every environment of a run reads the same one. */
const read = new Map<string, { changed: number; tasks: readonly McpTask[] }>();

/**
 * @param hasChecker whether fields of any name are read, by the checker
 * @throws {McpTaskFileError} with every row that cannot be used
 */
export function readTasks(path: string, hasChecker: boolean): readonly McpTask[] {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? NaN;
  const key = `${hasChecker}/${path}`;
  const known = read.get(key);
  if (known?.changed === changed) return known.tasks;
  const tasks = parseTasks(path, hasChecker);
  read.set(key, { changed, tasks });
  return tasks;
}

function parseTasks(path: string, hasChecker: boolean): McpTask[] {
  const rows = readRows(path, (line, problem) => new McpTaskFileError(path, [{ line, problem }]));
  if (rows.length === 0) throw new McpTaskFileError(path, [{ line: null, problem: 'it contains no task' }]);
  const lines = new Map<string, number>();
  const faults: { line: number; problem: string }[] = [];
  const tasks = rows.flatMap((row): McpTask[] => {
    try {
      const task = taskOf(row, hasChecker);
      const earlier = lines.get(task.id);
      if (earlier !== undefined)
        throw new RowError(`the id ${JSON.stringify(task.id)} is also that of line ${earlier}`);
      lines.set(task.id, row.line);
      return [task];
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      faults.push({ line: row.line, problem: error.message });
      return [];
    }
  });
  if (faults.length > 0) throw new McpTaskFileError(path, faults);
  return tasks;
}

/** A row cannot be used. */
class RowError extends Error {}

function taskOf({ cells }: Row, hasChecker: boolean): McpTask {
  if (!hasChecker) refuseUnread(cells);
  const answer = textOf(cells, 'answer');
  if (answer === null && !hasChecker)
    throw new RowError('it has no answer, and env.checker is null: nothing can be right');
  return {
    id: required(cells, 'id'),
    prompt: required(cells, 'prompt'),
    split: splitOf(textOf(cells, 'split')),
    kind: textOf(cells, 'kind'),
    answer,
    resources: resourcesOf(cells.resources ?? []),
    files: filesOf(cells.files ?? {}),
    expert: (cells.expert ?? null) === null ? null : expertOf(cells.expert),
    row: cells,
  };
}

function refuseUnread(cells: Row['cells']): void {
  const field = Object.keys(cells).find((name) => !taskFields.some((known) => known === name));
  if (field === undefined) return;
  const nearest = nearestName(field, taskFields);
  throw new RowError(
    `nothing reads its field '${field}'${nearest === null ? '' : `; did you mean ${nearest}?`} Fields of other names are for a checker (env.checker)`,
  );
}

/** A text, or a number as one; null where it is missing. */
function textOf(cells: Row['cells'], field: string): string | null {
  const value = cells[field] ?? null;
  if (value === null || value === '') return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new RowError(`its ${field} must be a text or a number`);
}

function required(cells: Row['cells'], field: 'id' | 'prompt'): string {
  const text = textOf(cells, field);
  if (text !== null) return text;
  throw new RowError(`no ${field}; its fields are ${Object.keys(cells).join(', ') || '(none)'}`);
}

function splitOf(name: string | null): Split | null {
  if (name === null) return null;
  const split = splitNamed(name);
  if (split !== undefined) return split;
  throw new RowError(`split ${JSON.stringify(name)} must be train, eval or test`);
}

function resourcesOf(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((uri) => typeof uri === 'string' && URL.canParse(uri)))
    return value as string[];
  throw new RowError('resources must be a list of URIs, such as ["file:///workspace/notes.txt"]');
}

function filesOf(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) throw new RowError('files must be an object {path: text}');
  for (const [path, text] of Object.entries(value)) {
    if (typeof text !== 'string') throw new RowError(`the file '${path}' must be a text`);
    if (isAbsolute(path) || normalize(path).split(sep).includes('..') || normalize(path) === '.')
      throw new RowError(`the file '${path}' must have a path within the folder of the episode`);
  }
  return value as Record<string, string>;
}

function expertOf(value: unknown): readonly ExpertStep[] {
  if (!Array.isArray(value) || value.length === 0) throw new RowError('expert must be a list of calls and an answer');
  return value.map((step: unknown, i): ExpertStep => {
    const known = isObject(step) ? step : {};
    if (i === value.length - 1 && Object.keys(known).join() === 'answer') return { answer: answerText(known.answer) };
    const isCall = Object.keys(known).every((key) => ['name', 'arguments'].includes(key));
    const given = known.arguments ?? {};
    if (isCall && typeof known.name === 'string' && isObject(given)) return { name: known.name, arguments: given };
    throw new RowError(
      `step ${i + 1} of its expert must be {"name", "arguments"}${i === value.length - 1 ? ' or {"answer"}' : ''}; got ${JSON.stringify(step)}`,
    );
  });
}

/** An answer of JSON as text: texts as they are. */
export const answerText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
