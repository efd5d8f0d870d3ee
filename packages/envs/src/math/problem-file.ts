// Reads math problems from a user's file: JSON lines or CSV with the columns `question`, `answer` and `solution`.
import type { Split } from '../contract/env.js';
import type { Row } from '../table-file.js';
import { firstText, LineError, lineSplit, readTasks, textCell } from '../task-lines.js';
import { bySplit } from '../task-units.js';
import { questionId, splitOf, type Problem } from './problem.js';
import { NoReferenceError, parseReference } from './verifier.js';

/** The problems of a file by split (training, evaluation, test), in the order of the file. */
export type ProblemFile = Readonly<Record<Split, readonly Problem[]>>;

/**
 * Reads a file `.csv` or `.jsonl`. @throws {TaskFileError} if a row has no question or no answer that can be verified, or if a
 * question is in two splits
 */
export function readProblems(path: string): ProblemFile {
  const splits = new Map<string, { split: Split; line: number }>();
  const splitted = (row: Row) => {
    const problem = problemOf(row);
    const split = lineSplit(row) ?? splitOf(problem.question);
    const question = questionId(problem.question);
    const earlier = splits.get(question);
    if (earlier && earlier.split !== split)
      throw new LineError(`the question is also in line ${earlier.line}, for ${earlier.split}`);
    splits.set(question, { split, line: row.line });
    return { ...problem, split };
  };
  return bySplit(readTasks('problems', path, splitted, { mayRepeat: true }));
}

function problemOf(row: Row): Problem {
  const question = firstText(row, ['question', 'problem']);
  const solution = firstText(row, ['solution', 'correct_answer']);
  // In data sets such as GSM8K, the column `answer` contains the whole solution, at whose end the verifier finds the answer.
  const answer = firstText(row, ['answer']) || solution;
  if (question === '') throw new LineError(`no question; its columns are ${Object.keys(row.cells).join(', ')}`);
  try {
    parseReference(answer);
  } catch (error) {
    if (!(error instanceof NoReferenceError)) throw error;
    throw new LineError(`no answer that could be verified: ${error.message}`);
  }
  const worked = solution || (answer.includes('####') ? answer : '');
  return { id: textCell(row, 'id') ?? questionId(question), question, kind: null, answer, solution: worked || null };
}
