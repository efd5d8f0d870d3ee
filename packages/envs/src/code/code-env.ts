// Plays the environment `code`: the agent writes a program, and unit tests judge it as in HumanEval. See code.md.
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { failureText } from './failure.js';
import { judge, type Verdict } from './judge.js';
import type { CodeOptions } from './options.js';
import { solutionReply } from './program.js';
import { openSandbox, type Sandbox } from './sandbox/sandbox.js';
import { takenItem } from '../task-units.js';
import { codeTasks } from './task-file.js';
import type { CodeTask } from './task.js';

interface CodeReset {
  seed?: number;
  /** The number of the task in the file, from 0. If it is absent, the seed draws one. */
  task?: number;
}

export class CodeEnv implements Env {
  readonly #order = new EpisodeOrder('code');
  readonly #tasks: readonly CodeTask[];
  #sandbox: Sandbox | null = null;
  #rng = new Rng(0);
  #task!: CodeTask;
  #turn = 0;

  /** Reads the programming tasks from the file of the options. @throws {TaskFileError} if the file cannot be used */
  constructor(private readonly options: CodeOptions) {
    this.#tasks = codeTasks(options);
  }

  async reset({ seed, task }: CodeReset = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    this.#task = takenItem(this.#tasks, task, this.#rng, 'code: there is no task');
    this.#turn = 0;
    const { instruction } = this.options;
    const observation = `${instruction === '' ? '' : `${instruction}\n\n`}${this.#task.prompt}`;
    return { observation, info: this.#info(null) };
  }

  /** Runs the task's tests on the program of a reply. @param action a reply with a program, or the continuation of the prompt */
  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    this.#turn++;
    this.#sandbox ??= openSandbox();
    const verdict = await judge(action, this.#task, this.options, this.#sandbox);
    const won = verdict.failure === null;
    const terminated = won || this.#turn >= this.options.maxTurns;
    if (terminated) this.#order.end();
    const share = this.options.reward === 'share' ? verdict.passed / verdict.tests : Number(won);
    const observation = won ? '' : failureText(verdict, this.options);
    return { observation, reward: terminated ? share : 0, terminated, truncated: false, info: this.#info(verdict) };
  }

  expertReply(): string | null {
    return solutionReply(this.#task, this.options);
  }

  async close(): Promise<void> {
    this.#order.close();
    await this.#sandbox?.close();
    this.#sandbox = null;
  }

  #info(verdict: Verdict | null): Record<string, unknown> {
    const { id: item, kind } = this.#task;
    const failure = verdict?.failure?.kind ?? null;
    const judged = { tests: verdict?.tests ?? null, passed: verdict?.passed ?? 0, failure };
    return { item, kind, won: verdict !== null && failure === null, invalid: failure === 'syntax', ...judged };
  }
}
