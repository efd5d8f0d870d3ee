// Reads problems from a file: JSON lines or CSV with `question`, `answer` and `solution`.
import { statSync } from 'node:fs';
import type { Split } from '../contract/env.js';
import { readRows, splitNamed, type Row } from '../table-file.js';
import { questionId, splitOf, type Problem } from './problem.js';
import { NoReferenceError, parseReference } from './verifier.js';

/** The problems of a file by split, in the order of the file. */
export type ProblemFile = Readonly<Record<Split, readonly Problem[]>>;

/** The names of each column in published data sets. */
const columns = {
  question: ['question', 'problem'],
  answer: ['answer'],
  solution: ['solution', 'correct_answer'],
  split: ['split'],
  id: ['id'],
} as const;

type Column = keyof typeof columns;

/** The error for a file that cannot be used. The message names file and line. */
class ProblemFileError extends Error {
  override readonly name = 'ProblemFileError';

  constructor(
    readonly path: string,
    readonly line: number | null,
    problem: string,
  ) {
    super(`problems: ${path}${line === null ? '' : `:${line}`}: ${problem}`);
  }
}

/** The last file that was read, since all environments of a run share it. */
let last: { path: string; changed: number; problems: ProblemFile } | null = null;

/**
 * Reads a file.
 *
 * @param path ends with `.csv` or `.jsonl`
 * @throws {ProblemFileError} if a row has no question or no verifiable answer, or a question is in two splits
 */
export function readProblems(path: string): ProblemFile {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? NaN;
  if (last?.path !== path || last.changed !== changed) last = { path, changed, problems: parseProblems(path) };
  return last.problems;
}

function parseProblems(path: string): ProblemFile {
  const rows = readRows(path, (line, problem) => new ProblemFileError(path, line, problem));
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

/** Returns a cell as text; empty if it is missing. */
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
  // One column may contain the solution and the answer, as GSM8K's `answer` does: only the final answer in its text is compared.
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
  const name = cell(path, row, 'split');
  const split = name === '' ? splitOf(question) : splitNamed(name);
  if (split !== undefined) return split;
  throw new ProblemFileError(path, row.line, `split '${name}' must be train, eval or test`);
}
