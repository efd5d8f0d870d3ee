// Plays the environment `verifiers`: tasks from JSON lines with a user's reward functions, in the format of the Python library
// verifiers. See verifiers.md.
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { fieldsOf } from './fields.js';
import type { VerifiersOptions } from './options.js';
import { called, judgeEpisode, rewardModule, type RewardModule, type VerifiersEpisode } from './reward-module.js';
import { takenItem } from '../task-units.js';
import { verifiersTasks } from './task-file.js';
import { promptText, type VerifiersMessage, type VerifiersTask } from './task.js';

/** The `info` of a reset and of every step. */
export interface VerifiersInfo extends Record<string, unknown> {
  item: string;
  kind: string | null;
  reference: string | null;
  /** The result of each reward function by name, without its weight; empty before the end of the episode. */
  components: Record<string, number>;
  /** Whether the reward is the largest possible one, the sum of the positive weights. */
  won: boolean;
  /** Whether the agent's last reply lacks a field of the option `env.fields`. */
  invalid: boolean;
}

interface VerifiersReset {
  seed?: number;
  /** The index of the task in the file. If it is absent, the seed draws one. */
  task?: number;
}

export class VerifiersEnv implements Env {
  readonly #order = new EpisodeOrder('verifiers');
  readonly #tasks: readonly VerifiersTask[];
  #module: RewardModule | null = null;
  #rng = new Rng(0);
  #task!: VerifiersTask;
  #completion: VerifiersMessage[] = [];
  #state: Record<string, unknown> = {};
  #info: unknown = null;
  #turn = 0;

  /** Reads the tasks of the user's file. @throws {TaskFileError} if the file cannot be used */
  constructor(private readonly options: VerifiersOptions) {
    this.#tasks = verifiersTasks(options);
  }

  /** Begins an episode. @throws {RewardModuleError} if the user's module cannot be used */
  async reset({ seed, task }: VerifiersReset = {}): Promise<ResetResult> {
    this.#order.begin();
    this.#module ??= await rewardModule(this.options);
    if (seed !== undefined) this.#rng = new Rng(seed);
    this.#task = takenItem(this.#tasks, task, this.#rng, 'verifiers: there is no task');
    [this.#completion, this.#state, this.#turn] = [[], {}, 0];
    this.#info = structuredClone(this.#task.info);
    const { instruction } = this.options;
    const observation = `${instruction === '' ? '' : `${instruction}\n\n`}${promptText(this.#task.prompt)}`;
    return { observation, info: this.#shown({}, false) };
  }

  /** Computes the reward of the agent's reply, or returns the next user message. @param action the whole reply */
  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    this.#turn++;
    this.#completion.push({ role: 'assistant', content: action });
    const fields = fieldsOf(action, this.options.fields);
    const invalid = Object.values(fields).includes(null);
    const episode = this.#episode(action, fields);
    const reply = await this.#reply(episode);
    if (reply !== null) {
      this.#completion.push({ role: 'user', content: reply });
      return { observation: reply, reward: 0, terminated: false, truncated: false, info: this.#shown({}, invalid) };
    }
    const { reward, components } = await judgeEpisode(this.#rewards, episode, this.#task.id);
    this.#order.end();
    const best = this.#rewards.rewards.reduce((sum, { weight }) => sum + Math.max(weight, 0), 0);
    const info = { ...this.#shown(components, invalid), won: best > 0 && reward >= best };
    return { observation: '', reward, terminated: true, truncated: false, info };
  }

  /** Returns the next reply of the task's column `completion`, which demonstrations imitate; null after the last. */
  expertReply(): string | null {
    return this.#task.completion[this.#turn] ?? null;
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  get #rewards(): RewardModule {
    return this.#module!;
  }

  #episode(text: string, fields: VerifiersEpisode['fields']): VerifiersEpisode {
    const { prompt, answer, row } = this.#task;
    const [completion, info, state, turn] = [this.#completion, this.#info, this.#state, this.#turn];
    return { prompt, completion, text, fields, answer, info, row, state, turn };
  }

  /** Returns the message of the user's function `respond`; null if the episode is over. */
  async #reply(episode: VerifiersEpisode): Promise<string | null> {
    const { respond } = this.#rewards;
    if (respond === null || this.#turn >= this.options.maxTurns) return null;
    const reply: unknown = await called(() => respond(episode), 'respond', this.#task.id);
    if (reply === null || reply === undefined) return null;
    if (typeof reply === 'string') return reply;
    throw new TypeError(
      `verifiers: respond must return a text, or null to end the episode; it returned ${typeof reply}`,
    );
  }

  #shown(components: Record<string, number>, invalid: boolean): VerifiersInfo {
    const { id, kind, answer } = this.#task;
    return { item: id, kind, reference: answer, components, won: false, invalid };
  }
}
