// Reads the questions of the environment `questions` from files in the formats in which GSM8K, MMLU, ARC and HellaSwag are
// published, as JSON lines or CSV.
import type { Split } from '../contract/env.js';
import type { Row } from '../table-file.js';
import { firstText, hashedId, LineError, lineSplit, readTasks, textCell } from '../task-lines.js';
import { choiceOf, letterOf, MOST_CHOICES, type Question } from './question.js';

/** The column names that published data sets use for each field of a question. */
const columns = {
  question: ['question', 'ctx', 'problem', 'query', 'prompt'],
  answer: ['answer', 'answerKey', 'label', 'gold', 'target'],
  choices: ['choices', 'endings', 'options'],
  subject: ['subject', 'category'],
};

/**
 * Reads a file of CSV or JSON lines. @param split the split of rows that do not name one @throws {TaskFileError} with every row
 * without a question or answer, or whose answer is not one of its choices
 */
export const readQuestions = (path: string, split: Split): readonly (Question & { split: Split })[] =>
  readTasks('questions', path, (row) => ({ ...questionOf(row), split: lineSplit(row) ?? split }), {
    variant: split,
    mayRepeat: true,
  });

function questionOf(row: Row): Question {
  const shown = `its columns are ${Object.keys(row.cells).join(', ')}`;
  const question = firstText(row, columns.question);
  if (question === '') throw new LineError(`no question; ${shown}`);
  const choices = choicesOf(row);
  const answer = firstText(row, columns.answer);
  if (answer === '') throw new LineError(`no answer; ${shown}`);
  const right = choices && rightChoice(answer, choices);
  return {
    id: textCell(row, 'id') ?? hashedId([question, ...(choices?.texts ?? [])].join('\n')),
    question,
    answer: choices ? choices.texts[right!] : answer,
    choices: choices && { texts: choices.texts, right: right! },
    subject: firstText(row, columns.subject) || null,
  };
}

interface Choices {
  texts: readonly string[];
  /** The names of the choices in the file, such as A, B, C, D or 1, 2, 3, 4; null if the file has none. */
  labels: readonly string[] | null;
}

/** Returns the choices of a row, which may be a list of texts, ARC's object `{text, label}`, or the columns A, B, C, …. */
function choicesOf({ cells }: Row): Choices | null {
  const name = columns.choices.find((candidate) => Object.hasOwn(cells, candidate));
  const value = name === undefined ? undefined : cells[name];
  const given = typeof value === 'string' ? parsedList(value) : value;
  if (given === undefined || given === null || given === '') return lettered(cells);
  const { text, label } = (Array.isArray(given) ? { text: given } : given) as { text?: unknown; label?: unknown };
  if (!isTexts(text) || text.length < 2 || text.length > MOST_CHOICES)
    throw new LineError(`choices must be a list of 2 to ${MOST_CHOICES} texts, or {text, label} with such lists`);
  if (label !== undefined && (!isTexts(label) || label.length !== text.length))
    throw new LineError(`the labels of the choices must be ${text.length} texts`);
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

/** Parses a list of choices that a CSV cell contains as JSON. */
function parsedList(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new LineError(`choices must be a list in JSON; got ${text.slice(0, 60)}`);
  }
}

const isTexts = (value: unknown): value is (string | number)[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number');

/** Returns the index of the right choice. The file may name it by its label, a letter, a number from 0, or its text. */
function rightChoice(answer: string, { texts, labels }: Choices): number {
  const named = labels?.indexOf(answer) ?? -1;
  if (named >= 0) return named;
  const number = /^\d+$/.test(answer) ? Number(answer) : choiceOf(answer);
  const right = labels === null && number >= 0 && number < texts.length ? number : texts.indexOf(answer);
  if (right >= 0) return right;
  throw new LineError(
    `the answer ${JSON.stringify(answer)} is not one of the ${texts.length} choices: give a label, a letter, a number from 0, or the text`,
  );
}
