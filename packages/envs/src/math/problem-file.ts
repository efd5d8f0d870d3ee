// Problems of a file: JSON lines or CSV with `question`, `answer` and `solution`.
import { readFileSync, statSync } from 'node:fs';
import { CsvError, parse } from 'csv-parse/sync';
import type { Split } from '../contract/env.js';
import { questionId, splitOf, type Problem } from './problem.js';
import { NoReferenceError, parseReference } from './verifier.js';

/** The problems of a file by split, in its order. */
export type ProblemFile = Readonly<Record<Split, readonly Problem[]>>;

/** Names that published data sets use for each column. */
const columns = {
  question: ['question', 'problem'],
  answer: ['answer'],
  solution: ['solution', 'correct_answer'],
  split: ['split'],
  id: ['id'],
} as const;

type Column = keyof typeof columns;

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

interface Row {
  line: number;
  cells: Readonly<Record<string, unknown>>;
}

/** A file cannot be used as it is. The message names file and line. */
export class ProblemFileError extends Error {
  override readonly name = 'ProblemFileError';

  constructor(
    readonly path: string,
    readonly line: number | null,
    problem: string,
  ) {
    super(`problems: ${path}${line === null ? '' : `:${line}`}: ${problem}`);
  }
}

/** The last file, since every environment of a run reads the same one. */
let last: { path: string; changed: number; problems: ProblemFile } | null = null;

/**
 * @param path ends with `.csv` or `.jsonl`
 * @throws {ProblemFileError} where a row has no question or no answer that could be verified, or a question is in two splits
 */
export function readProblems(path: string): ProblemFile {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? NaN;
  if (last?.path !== path || last.changed !== changed) last = { path, changed, problems: parseProblems(path) };
  return last.problems;
}

function parseProblems(path: string): ProblemFile {
  const text = readText(path);
  const rows = path.endsWith('.csv') ? csvRows(path, text) : jsonRows(path, text);
  const problems: Record<Split, Problem[]> = { train: [], eval: [], test: [] };
  const splits = new Map<string, { split: Split; line: number }>();
  for (const row of rows) {
    const problem = problemOf(path, row);
    const split = splitOfRow(path, row, problem);
    const question = questionId(problem.question);
    const earlier = splits.get(question);
    if (earlier && earlier.split !== split)
      throw new ProblemFileError(path, row.line, `the question is also in line ${earlier.line}, for ${earlier.split}`);
    splits.set(question, { split, line: row.line });
    problems[split].push(problem);
  }
  if (rows.length === 0) throw new ProblemFileError(path, null, 'contains no problem');
  return problems;
}

function readText(path: string): string {
  if (!/\.(?:csv|jsonl)$/.test(path)) throw new ProblemFileError(path, null, 'is neither .csv nor .jsonl');
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new ProblemFileError(path, null, `cannot be read: ${(error as Error).message}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes); // also takes off a byte order mark
  } catch {
    throw new ProblemFileError(path, null, 'is not UTF-8; save it as UTF-8, or convert it: iconv -f LATIN1 -t UTF-8');
  }
}

function csvRows(path: string, text: string): Row[] {
  try {
    const records = parse<{ info: { lines: number }; record: Record<string, string> }>(text, {
      columns: true,
      info: true,
      skip_empty_lines: true,
      trim: true,
    });
    return records.map(({ info, record }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ProblemFileError(path, Number(error.lines) || null, `is not CSV: ${error.message}`);
  }
}

function jsonRows(path: string, text: string): Row[] {
  return text.split('\n').flatMap((content, index): Row[] => {
    if (content.trim() === '') return [];
    let cells: unknown;
    try {
      cells = JSON.parse(content);
    } catch (error) {
      throw new ProblemFileError(path, index + 1, `is not JSON: ${(error as Error).message}`);
    }
    if (typeof cells !== 'object' || cells === null || Array.isArray(cells))
      throw new ProblemFileError(path, index + 1, 'is not a JSON object');
    return [{ line: index + 1, cells: cells as Record<string, unknown> }];
  });
}

/** A cell as text; '' where it is missing. Numbers of JSON are read as they are written there. */
function cell(path: string, { line, cells }: Row, column: Column): string {
  const name = columns[column].find((candidate) => Object.hasOwn(cells, candidate));
  const value = name === undefined ? null : cells[name];
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number') return String(value);
  throw new ProblemFileError(path, line, `'${name}' must be a text or a number`);
}

function problemOf(path: string, row: Row): Problem {
  const question = cell(path, row, 'question');
  const solution = cell(path, row, 'solution');
  // Where an answer column contains the whole solution, as GSM8K's does, it is both.
  const answer = cell(path, row, 'answer') || solution;
  if (question === '')
    throw new ProblemFileError(path, row.line, `no question; columns: ${Object.keys(row.cells).join(', ')}`);
  try {
    parseReference(answer);
  } catch (error) {
    if (!(error instanceof NoReferenceError)) throw error;
    throw new ProblemFileError(path, row.line, `no answer that could be verified: ${error.message}`);
  }
  const worked = solution || (answer.includes('####') ? answer : '');
  return { id: cell(path, row, 'id') || questionId(question), question, kind: null, answer, solution: worked || null };
}

function splitOfRow(path: string, row: Row, { question }: Problem): Split {
  const named = cell(path, row, 'split').toLowerCase();
  if (named === '') return splitOf(question);
  if (Object.hasOwn(splitNames, named)) return splitNames[named];
  throw new ProblemFileError(path, row.line, `split '${named}' must be train, eval or test`);
}
