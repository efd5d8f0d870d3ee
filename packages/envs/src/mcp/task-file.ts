// Reads the task files of the environment `mcp`: JSON lines, or CSV for tasks whose fields are all texts.
import { isAbsolute, normalize, sep } from 'node:path';
import { isRecord } from '@bowyer/core';
import { nearestName } from '../contract/unknown-name-error.js';
import type { Row } from '../table-file.js';
import { lostNumber, membersAsWritten } from '../json-text.js';
import { LineError, lineSplit, readTasks, textCell, type LineTask } from '../task-lines.js';

export interface ToolCall {
  name: string;
  arguments: Readonly<Record<string, unknown>>;
}

/** A step of an expert: a tool call, or the answer that ends the episode. */
export type ExpertStep = ToolCall | { answer: string };

export interface McpTask extends LineTask {
  prompt: string;
  /** The kind of task, for which reports show separate results. */
  kind: string | null;
  /** The right answer; null if only a checker can judge the agent's answer. */
  answer: string | null;
  /** The URIs of resources of the MCP server whose content the first observation shows. */
  resources: readonly string[];
  /** The files that are written into the episode's folder: contents by relative path. */
  files: Readonly<Record<string, string>>;
  /** The tool calls and the answer of an expert; null if the task has none. */
  expert: readonly ExpertStep[] | null;
  row: Readonly<Record<string, unknown>>;
}

/** The columns of a task file that the environment itself reads; others are for a checker. */
const taskFields = ['id', 'prompt', 'split', 'kind', 'answer', 'resources', 'files', 'expert'] as const;

/** @param hasChecker whether a checker reads further columns @throws {TaskFileError} with every row that cannot be used */
export const mcpTasks = (path: string, hasChecker: boolean): readonly McpTask[] =>
  readTasks('mcp', path, (row) => taskOf(row, hasChecker), { variant: hasChecker ? 'checked' : '' });

function taskOf(row: Row, hasChecker: boolean): McpTask {
  const { cells } = row;
  if (!hasChecker) refuseUnread(cells);
  const written = row.json === undefined ? {} : membersAsWritten(row.json);
  // If the answer is a number, the agent must write it with the same digits as the file, so that the number's text is used.
  const answer = typeof cells.answer === 'number' ? written.answer : textCell(row, 'answer');
  if (answer === null && !hasChecker)
    throw new LineError('it has no answer, and env.checker is null: nothing can be right');
  return {
    id: required(row, 'id'),
    prompt: required(row, 'prompt'),
    split: lineSplit(row),
    kind: textCell(row, 'kind'),
    answer,
    resources: resourcesOf(cells.resources ?? []),
    files: filesOf(cells.files ?? {}),
    expert: (cells.expert ?? null) === null ? null : expertOf(cells.expert, written.expert),
    row: cells,
  };
}

function refuseUnread(cells: Row['cells']): void {
  const field = Object.keys(cells).find((name) => !taskFields.some((known) => known === name));
  if (field === undefined) return;
  const nearest = nearestName(field, taskFields);
  throw new LineError(
    `nothing reads its field '${field}'${nearest === null ? '' : `; did you mean ${nearest}?`} Fields of other names are for a checker (env.checker)`,
  );
}

function required(row: Row, field: 'id' | 'prompt'): string {
  const text = textCell(row, field);
  if (text !== null) return text;
  throw new LineError(`no ${field}; its fields are ${Object.keys(row.cells).join(', ') || '(none)'}`);
}

function resourcesOf(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((uri) => typeof uri === 'string' && URL.canParse(uri)))
    return value as string[];
  throw new LineError('resources must be a list of URIs, such as ["file:///workspace/notes.txt"]');
}

function filesOf(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) throw new LineError('files must be an object {path: text}');
  for (const [path, text] of Object.entries(value)) {
    if (typeof text !== 'string') throw new LineError(`the file '${path}' must be a text`);
    if (isAbsolute(path) || normalize(path).split(sep).includes('..') || normalize(path) === '.')
      throw new LineError(`the file '${path}' must have a path within the folder of the episode`);
  }
  return value as Record<string, string>;
}

function expertOf(value: unknown, written: string | undefined): readonly ExpertStep[] {
  const lost = written === undefined ? null : lostNumber(written);
  if (lost !== null)
    throw new LineError(`the number ${lost} of its expert has more digits than a number keeps: write a text`);
  if (!Array.isArray(value) || value.length === 0) throw new LineError('expert must be a list of calls and an answer');
  return value.map((step: unknown, i): ExpertStep => {
    const known = isRecord(step) ? step : {};
    if (i === value.length - 1 && Object.keys(known).join() === 'answer') return { answer: answerText(known.answer) };
    const isCall = Object.keys(known).every((key) => ['name', 'arguments'].includes(key));
    const given = known.arguments ?? {};
    if (isCall && typeof known.name === 'string' && isRecord(given)) return { name: known.name, arguments: given };
    throw new LineError(
      `step ${i + 1} of its expert must be {"name", "arguments"}${i === value.length - 1 ? ' or {"answer"}' : ''}; got ${JSON.stringify(step)}`,
    );
  });
}

/** Returns an answer as text: a string unchanged, other values as JSON. */
export const answerText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
