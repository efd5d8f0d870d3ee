// Plays the environment `tau2`: an agent serves the customers of a shop with tools, after the benchmark tau2. See tau2.md.
import { isDeepStrictEqual } from 'node:util';
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { readReply, spaced, writeReply, writeResults } from '../mcp/replies.js';
import type { ExpertStep, ToolCall } from '../mcp/task-file.js';
import { toolsText } from '../mcp/tool-text.js';
import type { Oracle } from '../oracle.js';
import { namedTask } from '../task-units.js';
import { tau2Domain, type Tau2Domain, type Tau2Task } from './domain-folder.js';
import type { Tau2Options } from './options.js';
import { RetailStore } from './store.js';
import { callRetailTool, isWriting, retailTools, TRANSFER } from './tools.js';
import { ModelUser, ScriptedUser, type User } from './user.js';

interface Tau2Reset {
  seed?: number;
  task?: string;
}

/** The agent's greeting, which is the first message of each conversation. */
const GREETING = 'Hi! How can I help you today?';

/** The number of tool errors and unreadable replies after which an episode ends, as in tau2. */
const MOST_ERRORS = 10;

export class Tau2Env implements Env {
  readonly #order = new EpisodeOrder('tau2');
  readonly #domain: Tau2Domain;
  #rng = new Rng(0);
  #task!: Tau2Task;
  #store!: RetailStore;
  #user!: User;
  #said: string[] = [];
  #expert: readonly ExpertStep[] = [];
  /** The number of steps of the scripted expert that the agent's actions have followed so far. */
  #done = 0;
  #turn = 0;
  #errors = 0;
  #isTransferred = false;

  /**
   * Reads the domain's folder. @param oracle the model that plays the user; absent: a script plays the user
   * @throws {Tau2FolderError} if the folder cannot be used
   */
  constructor(
    private readonly options: Tau2Options,
    private readonly oracle?: Oracle<{ readonly name: string }>,
  ) {
    this.#domain = tau2Domain(options);
  }

  async reset({ seed, task: id }: Tau2Reset = {}): Promise<ResetResult> {
    this.#order.begin();
    this.#order.end(); // No step is allowed until the user's first message has arrived.
    if (seed !== undefined) this.#rng = new Rng(seed);
    const task = namedTask(this.#domain.tasks, id, this.#rng, `tau2: ${this.options.data ?? 'the set that ships'}`);
    this.#task = task;
    this.#store = new RetailStore(this.#domain.contents);
    this.#user = this.oracle ? new ModelUser(task.scenario, this.oracle) : new ScriptedUser(task.scenario);
    this.#expert = expertSteps(task);
    this.#said = [];
    [this.#done, this.#turn, this.#errors, this.#isTransferred] = [0, 0, 0, false];
    const reason = (await this.#user.answer(GREETING)) ?? '';
    const tools = toolsText(retailTools, undefined, this.options, 'said to the user');
    const observation = [this.#domain.policy, tools, saidByUser(reason)].filter((part) => part !== '').join('\n\n');
    this.#order.begin();
    return { observation, info: this.#info({}) };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    this.#order.end(); // If the user's model fails to answer, the episode has ended.
    this.#turn++;
    const reply = readReply(action, this.options.callFormat);
    const fault =
      'fault' in reply ? reply.fault : 'answer' in reply && reply.answer.trim() === '' ? 'The reply is empty.' : null;
    const invalid = fault !== null;
    if (fault !== null) return this.#continued(this.#refused(fault), invalid);
    if ('calls' in reply) return this.#continued(this.#results(reply.calls), invalid);
    const { answer } = reply as { answer: string };
    this.#said.push(answer);
    if (this.#done < this.#expert.length && 'answer' in this.#expert[this.#done]) this.#done++;
    const said = this.#isTransferred && this.oracle === undefined ? null : await this.#user.answer(answer);
    return said === null ? this.#ended() : this.#continued(saidByUser(said), invalid);
  }

  expertReply(): string | null {
    const step = this.#expert[this.#done];
    return step === undefined ? null : writeReply(step, this.options.callFormat);
  }

  close(): Promise<void> {
    this.#order.close();
    return Promise.resolve();
  }

  #refused(fault: string): string {
    this.#errors++;
    return `Error: ${fault}`;
  }

  #results(calls: readonly ToolCall[]): string {
    const results = calls.map((call) => {
      const { text, isError } = callRetailTool(this.#store, call);
      if (isError) this.#errors++;
      if (call.name === TRANSFER && !isError) this.#isTransferred = true;
      if (isDeepStrictEqual(this.#expert[this.#done], { ...call })) this.#done++;
      return text;
    });
    return writeResults(results, this.options.callFormat);
  }

  /** Returns the next observation; ends the episode without a reward if it has too many turns or errors. */
  #continued(observation: string, invalid: boolean): StepResult {
    const terminated = this.#errors >= MOST_ERRORS;
    const truncated = !terminated && this.#turn >= this.options.maxTurns;
    if (!terminated && !truncated) this.#order.begin();
    return { observation, reward: 0, terminated, truncated, info: this.#info({ invalid }) };
  }

  /** Ends the episode, with the reward 1 if the database's final state is right and all required texts were said, else 0. */
  #ended(): StepResult {
    const right = new RetailStore(this.#domain.contents);
    for (const call of this.#task.actions) callRetailTool(right, call);
    const heard = this.#said.map((text) => text.toLowerCase().replaceAll(',', ''));
    const isCommunicated = this.#task.communicated.every((text) =>
      heard.some((said) => said.includes(text.toLowerCase())),
    );
    const components = { database: Number(this.#store.equals(right)), communicated: Number(isCommunicated) };
    const reward = components.database * components.communicated;
    const info = this.#info({ components, won: reward === 1, assertions: this.#task.assertions });
    return { observation: '', reward, terminated: true, truncated: false, info };
  }

  #info(more: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return { item: this.#task.id, won: false, invalid: false, ...more };
  }
}

const saidByUser = (text: string): string => `User: ${text}`;

/** Returns the steps of a scripted expert: it asks who the user is, asks consent before changes, and says the required texts. */
export function expertSteps({ actions, communicated }: Tau2Task): ExpertStep[] {
  const steps = actions.flatMap(({ name, arguments: given }): ExpertStep[] => {
    const call = { name, arguments: given };
    return isWriting(name)
      ? [{ answer: `I would do this: ${name} with ${spaced(given)}. Do you agree (yes)?` }, call]
      : [call];
  });
  const last = actions.some(({ name }) => name === TRANSFER)
    ? 'YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.'
    : ['That is all.', ...communicated].join(' ');
  return [{ answer: 'What is your email, or your name and zip code?' }, ...steps, { answer: last }];
}
