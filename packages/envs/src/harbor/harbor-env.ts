// Plays tasks in the format of Harbor in a shell (just-bash) that runs in this process without containers. See harbor.md.
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { lastCodeBlock, shortened } from '../reply-text.js';
import type { HarborOptions } from './options.js';
import { namedTask } from '../task-units.js';
import { rewardOf, type HarborReward } from './reward.js';
import { Shell, ShellEndedError, type CommandResult } from './shell/shell.js';
import { harborTasks, type HarborTask } from './task-folder.js';

interface HarborReset {
  seed?: number;
  /** The folder name of the task to play. If it is absent, the seed draws a task. */
  task?: string;
}

const SUBMIT = 'submit';
/** The timeout in milliseconds of a RUN command of a task's Dockerfile. */
const SETUP_MS = 60_000;

export class HarborEnv implements Env {
  readonly #order = new EpisodeOrder('harbor');
  readonly #tasks: readonly HarborTask[];
  #rng = new Rng(0);
  #shell: Shell | null = null;
  #task!: HarborTask;
  #workdir = '/';
  #turn = 0;

  /** Reads the tasks from the folder in the options. @throws {HarborTaskError} if a task cannot be played */
  constructor(private readonly options: HarborOptions) {
    this.#tasks = harborTasks(options);
  }

  /** @throws {ShellEndedError} if the shell does not start @throws {Error} if a command of the Dockerfile fails */
  async reset({ seed, task }: HarborReset = {}): Promise<ResetResult> {
    this.#order.begin();
    this.#order.end(); // The episode begins when the shell is ready.
    if (seed !== undefined) this.#rng = new Rng(seed);
    this.#task = namedTask(this.#tasks, task, this.#rng, `harbor: ${this.options.tasks ?? 'the set that ships'}`);
    const { memoryMb } = this.options;
    if (this.#shell === null || this.#shell.ended) this.#shell = await Shell.start(memoryMb);
    await this.#shell.begin(this.#task, (memoryMb / 4) * 2 ** 20);
    for (const { command, workdir } of this.#task.setup) await this.#prepare(command, workdir);
    [this.#workdir, this.#turn] = [this.#task.workdir, 0];
    const { instruction } = this.options;
    const observation = `${instruction === '' ? '' : `${instruction}\n\n`}${this.#task.instruction}`;
    this.#order.begin();
    return { observation, info: this.#info({ taskDescription: this.#task.instruction }) };
  }

  /** @param action a reply with a command, which runs in the shell, or `submit`, which runs the task's tests */
  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    this.#order.end(); // If the shell fails, the episode has ended.
    this.#turn++;
    const command = lastCodeBlock(action).trim();
    if (command === SUBMIT) return this.#ended('', { terminated: true });
    try {
      const result = await this.#run(command);
      const observation = outputText(result, this.options);
      if (this.#turn >= this.options.maxTurns) return await this.#ended(observation, { terminated: false });
      this.#order.begin();
      const info = this.#info({ exitCode: result.exitCode });
      return { observation, reward: 0, terminated: false, truncated: false, info };
    } catch (error) {
      if (!(error instanceof ShellEndedError)) throw error;
      const observation = `The shell was ended: ${error.message}.`;
      return { observation, reward: 0, terminated: true, truncated: false, info: this.#info({ fault: error.message }) };
    }
  }

  /** Returns the expert's reply: first the task's solution script, then `submit`; null if the task has no solution. */
  expertReply(): string | null {
    const { solution } = this.#task;
    if (solution === null) return null;
    return this.#turn === 0 ? inBlock(solution.replace(/^#!.*\n/, '').trim()) : inBlock(SUBMIT);
  }

  async close(): Promise<void> {
    this.#order.close();
    await this.#shell?.close();
    this.#shell = null;
  }

  async #prepare(command: string, workdir: string): Promise<void> {
    const { exitCode, stderr } = await this.#shell!.run(command, { workdir, milliseconds: SETUP_MS });
    if (exitCode === 0) return;
    throw new Error(`harbor: RUN ${command} of the task ${this.#task.id} failed: ${stderr.trim()}`);
  }

  async #run(command: string): Promise<CommandResult> {
    const place = { workdir: this.#workdir, milliseconds: this.options.commandMs };
    const result = await this.#shell!.run(command, place);
    this.#workdir = result.workdir;
    return result;
  }

  async #ended(observation: string, { terminated }: { terminated: boolean }): Promise<StepResult> {
    const { reward, components, fault } = await this.#verified();
    const info = this.#info({ components, fault, won: reward >= 1 });
    return { observation, reward, terminated, truncated: !terminated, info };
  }

  async #verified(): Promise<HarborReward> {
    const { tests, verifier, workdir } = this.#task;
    const shell = this.#shell!;
    const milliseconds = Math.min(this.options.verifierMs, verifier.milliseconds);
    try {
      await shell.place(['/logs/verifier', '/tests'], { ...tests, '/logs/verifier/.keep': new Uint8Array() });
      const { environment } = verifier;
      // The shell passes its variables to child processes only if they are exported.
      const exported = Object.keys(environment).map((name) => `export ${name}; `);
      await shell.run(`${exported.join('')}bash /tests/test.sh`, { workdir, milliseconds, environment });
      return rewardOf(await shell.read('/logs/verifier/reward.json'), await shell.read('/logs/verifier/reward.txt'));
    } catch (error) {
      if (!(error instanceof ShellEndedError)) throw error;
      return { reward: 0, components: {}, fault: `the shell was ended by the tests: ${error.message}` };
    }
  }

  #info(more: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const { id: item, kind } = this.#task;
    return { item, kind, won: false, ...more };
  }
}

export const inBlock = (command: string): string => `\`\`\`bash\n${command}\n\`\`\``;

function outputText({ stdout, stderr, exitCode, isLate }: CommandResult, options: HarborOptions): string {
  const output = shortened(`${stdout}${stderr}`.trimEnd(), options.outputChars);
  const end = isLate ? `(ended after ${options.commandMs / 1000} s)` : exitCode === 0 ? '' : `(exit code ${exitCode})`;
  return [output, end].filter((part) => part !== '').join('\n') || '(no output)';
}
