// Reads a user's words and yes/no questions from a JSON file with the answer to every question for every word.
//
//     { "cat": { "is it alive?": true, "does it fly?": false }, "kite": { "is it alive?": false, "does it fly?": true } }
import { readFileSync } from 'node:fs';
import { repeatedKeyProblem, utf8Text, isRecord } from '@bowyer/core';
import { repeatedKey } from '../json-text.js';
import type { Oracle } from '../oracle.js';
import { formKey, questionForm } from './question-form.js';
import { namesWord } from './rules.js';
import type { Attribute, Truth } from './truths.js';
import { guessQuestion, type Word } from './words.js';

/** The error for a user's file of words that cannot be used. */
class OwnWordsError extends Error {
  override readonly name = 'OwnWordsError';

  constructor(file: string, problem: string) {
    super(
      `twenty_questions: the words of ${file} cannot be played: ${problem}\n` +
        '  expected: { "cat": { "is it alive?": true, "does it fly?": false }, "kite": { … } }',
    );
  }
}

type Fault = (problem: string) => Error;

/** Reads the user's file of words and questions. @throws {OwnWordsError} with the first fault of the file */
export function readOwnWords(file: string): readonly Word[] {
  const fault: Fault = (problem) => new OwnWordsError(file, problem);
  const rows = readTable(file, fault);
  if (rows.length < 2) throw fault(`it has ${rows.length} of them, and a game needs two`);
  const asked = [...new Set(rows.flatMap(({ answers }) => Object.keys(answers)))];
  const table = asked.map((question): Attribute => {
    return { name: question, ask: [question], also: [], truths: rows.map((row) => truthOf(row, question, fault)) };
  });
  const words = rows.map(({ name }, index): Word => ({ name, variants: [name], category: file, index, table }));
  checkWords(words, table, fault);
  return words;
}

interface Row {
  name: string;
  answers: Readonly<Record<string, unknown>>;
}

function readTable(file: string, fault: Fault): Row[] {
  let text: string;
  let data: unknown;
  try {
    text = utf8Text(readFileSync(file), file);
    data = JSON.parse(text);
  } catch (error) {
    throw fault(`it cannot be read as JSON: ${(error as Error).message}`);
  }
  const twice = repeatedKey(text);
  if (twice !== null) throw fault(repeatedKeyProblem(twice));
  if (!isRecord(data)) throw fault('it is no object whose keys are words');
  return Object.entries(data).map(([word, given]) => {
    if (!isRecord(given)) throw fault(`the word '${word}' has no object of answers`);
    const answers = Object.entries(given).map(([question, answer]) => [asQuestion(question), answer] as const);
    const questions = answers.map(([question]) => question);
    const repeated = questions.find((question, i) => questions.indexOf(question) < i);
    if (repeated !== undefined) throw fault(`the word '${word}' has two answers to '${repeated}'`);
    return { name: oneLine(word).toLowerCase(), answers: Object.fromEntries(answers) };
  });
}

const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');

const asQuestion = (text: string): string => `${oneLine(text).replace(/\s*\?+$/, '')}?`;

function truthOf({ name, answers }: Row, question: string, fault: Fault): Truth {
  const answer = Object.hasOwn(answers, question) ? answers[question] : undefined;
  if (answer === undefined) throw fault(`the word '${name}' has no answer to '${question}'`);
  if (typeof answer !== 'boolean')
    throw fault(`the answer of '${name}' to '${question}' is ${JSON.stringify(answer)}, neither true nor false`);
  return answer ? 'yes' : 'no';
}

function checkWords(words: readonly Word[], table: readonly Attribute[], fault: Fault): void {
  meaningsOf(words, table, fault);
  words.forEach((word, place) => {
    if (!namesWord(guessQuestion(word), word, 'suffixTokens'))
      throw fault(`no question can name the word '${word.name}'; it must end in a letter from a to z`);
    const naming = table.find(({ ask, truths }) => truths[place] === 'yes' && namesWord(ask[0], word, 'suffixTokens'));
    if (naming) throw fault(`'${naming.name}' ends in the word '${word.name}' and would win as a guess of it`);
    const twin = words
      .slice(0, place)
      .find(({ index }) => table.every(({ truths }) => truths[index] === truths[place]));
    if (twin)
      throw fault(`no question separates '${twin.name}' and '${word.name}'; give one to which their answers differ`);
  });
}

/** A question in canonical form, in which wordings with the same meaning have the same key. */
interface Meaning {
  key: string;
  isNegated: boolean;
}

function meaningOf(question: string): Meaning {
  const form = questionForm(question);
  if (form === null) return { key: question.toLowerCase(), isNegated: false };
  return { key: formKey(form), isNegated: form.negated };
}

interface Known {
  text: string;
  isNegated: boolean;
  truths: readonly Truth[];
}

/** Returns the answers to all questions of the user's file and guesses of its words, by the questions' canonical form. */
function meaningsOf(words: readonly Word[], table: readonly Attribute[], fault: Fault): ReadonlyMap<string, Known> {
  const known = new Map<string, Known>();
  const guesses = words.map(
    (word) => [guessQuestion(word), words.map((other) => (other === word ? 'yes' : 'no'))] as const,
  );
  for (const [text, truths] of [...guesses, ...table.map(({ name, truths }) => [name, truths] as const)]) {
    const { key, isNegated } = meaningOf(text);
    const other = known.get(key);
    if (other) throw fault(`'${other.text}' and '${text}' ask the same; leave one out`);
    known.set(key, { text, isNegated, truths });
  }
  return known;
}

/** Answers questions from the user's table. A question that is not in the table is invalid. */
export class TableOracle implements Oracle<Word> {
  readonly id = 'table-1';
  readonly #known: ReadonlyMap<string, Known>;

  constructor(words: readonly Word[], table: readonly Attribute[]) {
    this.#known = meaningsOf(words, table, Error);
  }

  answer({ index }: Word, question: string): string {
    const { key, isNegated } = meaningOf(question);
    const known = this.#known.get(key);
    if (known === undefined) return 'Unclear.';
    return (known.truths[index] === 'yes') === (known.isNegated === isNegated) ? 'Yes.' : 'No.';
  }
}
