// Plays questions that the agent answers once, as in the sets GSM8K, MMLU, ARC and HellaSwag. See questions.md.
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, Split, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { judge } from './answers.js';
import type { QuestionsOptions } from './options.js';
import { answerOf, promptOf, validAnswers } from './prompt.js';
import type { Question } from './question.js';
import { bySplit, takenItem } from '../task-units.js';
import { readQuestions } from './question-file.js';

/** The `info` of a reset and of every step. */
export interface QuestionsInfo extends Record<string, unknown> {
  item: string;
  question: string;
  subject: string | null;
  /** The right answer in the form that the agent must write: a letter or a text. */
  reference: string;
  /** The answer that was found in the agent's text; null if there is none, and after a reset. */
  answer: string | null;
  won: boolean;
  invalid: boolean;
  validActions: string[];
}

interface QuestionsReset {
  seed?: number;
  /** The split from which the question is drawn; absent: all splits. */
  split?: Split;
  /** The index of the question in its split. If it is absent, the seed draws one. */
  number?: number;
}

const SAMPLE = fileURLToPath(new URL('../../src/questions/sample.jsonl', import.meta.url));

/** Returns the questions of the two files by split; if no file is set, those of the package's sample. */
export const questionsOf = ({ data, trainData }: Pick<QuestionsOptions, 'data' | 'trainData'>) =>
  bySplit([
    ...(data === null && trainData !== null ? [] : readQuestions(data ?? SAMPLE, 'test')),
    ...(trainData === null ? [] : readQuestions(trainData, 'train')),
  ]);

export class QuestionsEnv implements Env {
  readonly #order = new EpisodeOrder('questions');
  readonly #questions: Readonly<Record<Split, readonly Question[]>>;
  #rng = new Rng(0);
  #question: Question | null = null;
  #prompt = '';

  /** Reads the question files. @throws {TaskFileError} if a file cannot be used */
  constructor(private readonly options: QuestionsOptions) {
    this.#questions = questionsOf(options);
  }

  async reset({ seed, split, number }: QuestionsReset = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    this.#question = this.#choose(split, number);
    this.#prompt = promptOf(this.question, this.#examples(), this.options);
    return { observation: this.#prompt, info: this.#info(null, false) };
  }

  /** Decides whether an answer is right. @param action the agent's whole reply */
  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    this.#order.end();
    const { stated, isRight } = judge(action, this.question, this.options);
    const info = { ...this.#info(stated, isRight), invalid: stated === null };
    const observation = `${this.#prompt} ${action}\n`;
    return { observation, reward: isRight ? 1 : 0, terminated: true, truncated: false, info };
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  get question(): Question {
    if (this.#question === null) throw new Error('questions: there is no question before the first reset');
    return this.#question;
  }

  #choose(split: Split | undefined, number: number | undefined): Question {
    const questions = split === undefined ? Object.values(this.#questions).flat() : this.#questions[split];
    return takenItem(questions, number, this.#rng, 'questions: there is no question');
  }

  #examples(): Question[] {
    const { subject, id } = this.question;
    const others = this.#questions.train.filter((example) => example.id !== id && example.subject === subject);
    return others.slice(0, this.options.shots);
  }

  #info(answer: string | null, won: boolean): QuestionsInfo {
    const { id, question, subject } = this.question;
    const reference = answerOf(this.question, this.options);
    const validActions = validAnswers(this.question, this.options);
    return { item: id, question, subject, reference, answer, won, invalid: false, validActions };
  }
}
