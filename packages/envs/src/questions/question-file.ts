// Reads questions in the published formats of GSM8K, MMLU, ARC and HellaSwag, as JSON lines or CSV.
import { statSync } from 'node:fs';
import { hash32 } from '@bowyer/core';
import type { Split } from '../contract/env.js';
import { readRows, splitNamed, type Row } from '../table-file.js';
import { choiceOf, letterOf, MOST_CHOICES, type Question } from './question.js';

/** The names of each column in published data sets. */
const columns = {
  question: ['question', 'ctx', 'problem', 'query', 'prompt'],
  answer: ['answer', 'answerKey', 'label', 'gold', 'target'],
  choices: ['choices', 'endings', 'options'],
  subject: ['subject', 'category'],
  split: ['split'],
  id: ['id'],
} as const;

type Column = keyof typeof columns;

export type QuestionFile = Readonly<Record<Split, readonly Question[]>>;

/** The error for rows that cannot be used. Its message has the file, each line and its fault. */
class QuestionFileError extends Error {
  override readonly name = 'QuestionFileError';

  constructor(
    readonly path: string,
    readonly faults: readonly { line: number | null; problem: string }[],
  ) {
    const lines = faults
      .slice(0, SHOWN)
      .map(({ line, problem }) => `  ${line === null ? '' : `line ${line}: `}${problem}`);
    const more = faults.length > SHOWN ? [`  … and ${faults.length - SHOWN} more lines`] : [];
    super([`questions: ${path} cannot be used`, ...lines, ...more].join('\n'));
  }
}

const SHOWN = 10;

/** The files that were read last, since all environments of a run share them. */
const read = new Map<string, { changed: number; file: QuestionFile }>();

/**
 * Reads a file.
 *
 * @param path ends with `.csv` or `.jsonl`
 * @param split of rows without one
 * @throws {QuestionFileError} with every row without a question or answer, or whose answer is none of its choices
 */
export function readQuestions(path: string, split: Split): QuestionFile {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? NaN;
  const key = `${split}/${path}`;
  const known = read.get(key);
  if (known?.changed === changed) return known.file;
  const file = parseQuestions(path, split);
  read.set(key, { changed, file });
  return file;
}

function parseQuestions(path: string, otherwise: Split): QuestionFile {
  const rows = readRows(path, (line, problem) => new QuestionFileError(path, [{ line, problem }]));
  if (rows.length === 0) throw new QuestionFileError(path, [{ line: null, problem: 'it contains no question' }]);
  const file: Record<Split, Question[]> = { train: [], eval: [], test: [] };
  const faults: { line: number; problem: string }[] = [];
  for (const row of rows)
    try {
      file[splitOfRow(row, otherwise)].push(questionOf(row));
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      faults.push({ line: row.line, problem: error.message });
    }
  if (faults.length > 0) throw new QuestionFileError(path, faults);
  return file;
}

class RowError extends Error {}

function questionOf(row: Row): Question {
  const question = textOf(row, 'question');
  if (question === '') throw new RowError(`no question; its columns are ${Object.keys(row.cells).join(', ')}`);
  const choices = choicesOf(row);
  const answer = textOf(row, 'answer');
  if (answer === '') throw new RowError(`no answer; its columns are ${Object.keys(row.cells).join(', ')}`);
  const right = choices && rightChoice(answer, choices);
  const id =
    textOf(row, 'id') ||
    hash32([question, ...(choices?.texts ?? [])].join('\n'))
      .toString(16)
      .padStart(8, '0');
  return {
    id,
    question,
    answer: choices ? choices.texts[right!] : answer,
    choices: choices && { texts: choices.texts, right: right! },
    subject: textOf(row, 'subject') || null,
  };
}

interface Choices {
  texts: readonly string[];
  /** The labels of the choices, if the file has some. */
  labels: readonly string[] | null;
}

/** Returns the choices from a list of texts, from ARC's `{text, label}`, or from columns A, B, C, …. */
function choicesOf({ cells }: Row): Choices | null {
  const value = valueOf(cells, 'choices');
  const given = typeof value === 'string' ? parsedList(value) : value;
  if (given === undefined || given === null || given === '') return lettered(cells);
  const { text, label } = (Array.isArray(given) ? { text: given } : given) as { text?: unknown; label?: unknown };
  if (!isTexts(text) || text.length < 2 || text.length > MOST_CHOICES)
    throw new RowError(`choices must be a list of 2 to ${MOST_CHOICES} texts, or {text, label} with such lists`);
  if (label !== undefined && (!isTexts(label) || label.length !== text.length))
    throw new RowError(`the labels of the choices must be ${text.length} texts`);
  return { texts: text.map(String), labels: (label as string[] | undefined)?.map(String) ?? null };
}

function lettered(cells: Row['cells']): Choices | null {
  const texts: string[] = [];
  for (let choice = 0; choice < MOST_CHOICES; choice++) {
    const value = cells[letterOf(choice)];
    if (value === undefined || value === null || value === '') break;
    texts.push(String(value as string | number));
  }
  return texts.length < 2 ? null : { texts, labels: null };
}

/** Parses a list in a CSV cell, as JSON. */
function parsedList(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new RowError(`choices must be a list in JSON; got ${text.slice(0, 60)}`);
  }
}

const isTexts = (value: unknown): value is (string | number)[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number');

/** Returns the index of the right choice, from a label of the file, a letter, a number from 0, or the text of a choice. */
function rightChoice(answer: string, { texts, labels }: Choices): number {
  const named = labels?.indexOf(answer) ?? -1;
  if (named >= 0) return named;
  const number = /^\d+$/.test(answer) ? Number(answer) : choiceOf(answer);
  const right = labels === null && number >= 0 && number < texts.length ? number : texts.indexOf(answer);
  if (right >= 0) return right;
  throw new RowError(
    `the answer ${JSON.stringify(answer)} is not one of the ${texts.length} choices: give a label, a letter, a number from 0, or the text`,
  );
}

function splitOfRow(row: Row, otherwise: Split): Split {
  const name = textOf(row, 'split');
  const split = name === '' ? otherwise : splitNamed(name);
  if (split !== undefined) return split;
  throw new RowError(`split ${JSON.stringify(name)} must be train, eval or test`);
}

function valueOf(cells: Row['cells'], column: Column): unknown {
  const name = columns[column].find((candidate) => Object.hasOwn(cells, candidate));
  return name === undefined ? undefined : cells[name];
}

/** Returns a cell as text; empty if it is missing. */
function textOf({ cells }: Row, column: Column): string {
  const value = valueOf(cells, column);
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number') return String(value);
  throw new RowError(`its ${column} must be a text or a number`);
}
