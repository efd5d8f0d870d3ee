// Plays the environment `math`: word problems, which the agent answers by a written solution. The task is that of a fork of
// ArCHer for mathematical reasoning, with a verifier that compares only the final answer with the reference. See math.md.
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, Split, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { anyProblem, generateProblem } from './generator.js';
import type { MathOptions } from './options.js';
import { takenItem } from '../task-units.js';
import { readProblems, type ProblemFile } from './problem-file.js';
import type { Problem } from './problem.js';
import { verify } from './verifier.js';

/** The `info` of a reset and of every step. */
export interface MathInfo extends Record<string, unknown> {
  /** The id of the problem: the id in the problem file, or, without one, a hash of the question. */
  item: string;
  question: string;
  /** The kind of a generated problem, such as fractions; null for a problem from a file. */
  kind: string | null;
  reference: string;
  /** The final answer that the agent's last solution states; null if it states none, and after a reset. */
  answer: string | null;
  won: boolean;
  invalid: boolean;
}

interface MathReset {
  seed?: number;
  /** The split from which the problem is drawn; absent: all splits. */
  split?: Split;
  /** The index of the problem in its split. If it is absent, the seed draws one. */
  problem?: number;
}

export class MathEnv implements Env {
  readonly #order = new EpisodeOrder('math');
  readonly #file: ProblemFile | null;
  #rng = new Rng(0);
  #problem: Problem | null = null;
  #history = '';
  #attempts = 0;

  /** Reads the problem file, if the options name one. @throws {TaskFileError} if the file cannot be used */
  constructor(private readonly options: MathOptions) {
    this.#file = options.problems === null ? null : readProblems(options.problems);
  }

  async reset({ seed, split, problem }: MathReset = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    this.#problem = this.#choose(split, problem);
    this.#attempts = 0;
    const { instruction } = this.options;
    this.#history = `${instruction === '' ? '' : `${instruction}\n`}Problem: ${this.problem.question}\n${PROMPT}`;
    return { observation: this.#history, info: this.#info(null, false) };
  }

  /** Compares the final answer of a solution with the reference. @param action the agent's whole solution */
  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const { answer, isCorrect } = verify(action, this.problem.answer, this.options);
    const terminated = isCorrect || ++this.#attempts >= this.options.maxAttempts;
    if (terminated) this.#order.end();
    const verdict = isCorrect ? CORRECT : answer === null ? NO_ANSWER : WRONG;
    this.#history += `${action}\n${verdict}\n${terminated ? '' : PROMPT}`;
    const info = { ...this.#info(answer, isCorrect), invalid: answer === null };
    return { observation: this.#history, reward: isCorrect ? 1 : 0, terminated, truncated: false, info };
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  get problem(): Problem {
    if (this.#problem === null) throw new Error('math: there is no problem before the first reset');
    return this.#problem;
  }

  #choose(split: Split | undefined, number: number | undefined): Problem {
    if (this.#file === null)
      return split === undefined
        ? anyProblem(this.#rng, this.options)
        : generateProblem(this.#rng, split, this.options);
    const problems = split === undefined ? Object.values(this.#file).flat() : this.#file[split];
    return takenItem(problems, number, this.#rng, `math: ${this.options.problems} has no problem`);
  }

  #info(answer: string | null, won: boolean): MathInfo {
    const { id, question, kind, answer: reference } = this.problem;
    return { item: id, question, kind, reference, answer, won, invalid: false };
  }
}

const PROMPT = 'Solution:\n';
const CORRECT = 'Correct.';
const WRONG = 'The answer is wrong. Try again.';
const NO_ANSWER = 'There is no answer. Try again.';

/** All texts that the environment itself writes, besides the problems. A policy's vocabulary is made from them. */
export const phrases: readonly string[] = ['Problem: ', PROMPT, CORRECT, WRONG, NO_ANSWER, '\n'];
