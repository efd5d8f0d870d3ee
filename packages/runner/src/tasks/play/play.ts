// Implements task=play: a person plays an environment in the terminal. Finished episodes are appended as demonstrations to the
// file that `task.output` names.
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { environmentInfo, type Env, type ResetResult } from '@bowyer/envs';
import { namingFile, recordedInfo, recordedReturn, type EpisodeRecord } from '@bowyer/core';
import { engineText, wholeEnvironmentOf, type EnvironmentConfig } from '../../agent/environment/environment.js';
import type { AgentConfig } from '../../agent/keys/agent-keys.js';
import type { TaskContext } from '../../context/task-context.js';
import type { TaskConfig } from '../task.js';
import type { playTaskOptions } from './unit.js';
import { openPrompt, type Prompt } from './prompt.js';
import { actionLines, atWords, meantAction } from './valid-actions.js';

type PlayConfig = EnvironmentConfig & Pick<AgentConfig, 'seed'> & TaskConfig<typeof playTaskOptions>;

/** The word that ends the episode early when it is typed instead of an action; typed a second time, it ends the game. */
const LEAVE = 'quit';
/** The word that takes the last action back when it is typed instead of an action. */
const UNDO = '/undo';

export async function play(config: PlayConfig, { print, onInterrupt, envParts }: TaskContext): Promise<void> {
  const { output } = config.task;
  const env = wholeEnvironmentOf(config, envParts);
  const { name, description, sampleActions } = environmentInfo(config.env.name);
  const prompt = openPrompt(print);
  const help = prompt.isTerminal ? `; Tab completes, ${UNDO} takes the last action back, Ctrl-C leaves the game` : '';
  print(`${name}: ${description}\n(${LEAVE} leaves an episode${help})\n`);
  onInterrupt(() => prompt.close());
  const table: Table = {
    env,
    print,
    prompt,
    textOf: (result) => engineText(config, result),
    example: sampleActions[0],
  };
  try {
    for (let seed = config.seed, next: Next = 'next'; next !== 'quit'; seed += next === 'next' ? 1 : 0) {
      const record = await new Episode(table, seed).play();
      if (record !== null && output !== null) {
        await saveEpisode(output, record);
        print(`saved in ${output}\n`);
      }
      next = await askNext(table);
    }
  } finally {
    prompt.close();
    await env.close();
  }
}

interface Table {
  env: Env;
  print: (text: string) => void;
  prompt: Prompt;
  textOf: (result: ResetResult) => string;
  /** An example of an action, which is shown in environments that do not list valid actions. */
  example: string;
}

type Next = 'quit' | 'restart' | 'next';

class Episode {
  #record: EpisodeRecord | null = null;
  #validActions: string[] = [];

  constructor(
    private readonly table: Table,
    private readonly seed: number,
  ) {}

  /** Returns null where the player ended the episode early. */
  async play(): Promise<EpisodeRecord | null> {
    await this.#start();
    this.table.print(`\nepisode with seed ${this.seed}\n\n`);
    this.#show();
    if (this.#validActions.length === 0) this.table.print(`for example: ${this.table.example}\n`);
    for (;;) {
      const action = await this.#askAction();
      if (action === null || action === LEAVE) return null;
      if (action === UNDO) {
        await this.#undo();
        continue;
      }
      const { reward, terminated, truncated } = await this.#step(action);
      this.#show();
      this.table.print(`reward ${reward}\n`);
      if (!terminated && !truncated) continue;
      this.table.print(ending(this.#record!));
      return this.#record;
    }
  }

  async #start(): Promise<void> {
    const { observation, info } = await this.table.env.reset({ seed: this.seed });
    this.#record = { reset: { observation, info: recordedInfo(info) }, steps: [] };
    this.#see(info);
  }

  async #step(action: string) {
    const { observation, reward, terminated, truncated, info } = await this.table.env.step(action);
    this.#record!.steps.push({ action, observation, reward, terminated, truncated, info: recordedInfo(info) });
    this.#see(info);
    return { reward, terminated, truncated };
  }

  #see({ validActions }: Record<string, unknown>): void {
    this.#validActions = Array.isArray(validActions) ? validActions.map(String) : [];
  }

  /** Prints the newest observation, with the valid actions and the score if the environment reports them. */
  #show(): void {
    const { prompt, print, textOf } = this.table;
    const { observation, info } = this.#record!.steps.at(-1) ?? this.#record!.reset;
    const lines = atWords(textOf({ observation, info }).replace(/^\n+|\n+$/g, ''), prompt.columns);
    if (this.#validActions.length > 0) lines.push(...actionLines(this.#validActions, prompt.columns));
    if (typeof info.score === 'number') lines.push(`score ${info.score}`);
    print(`${lines.join('\n')}\n`);
  }

  /** At a terminal, asks whether another action was meant if the text looks like a typing error. */
  async #askAction(): Promise<string | null> {
    const { prompt } = this.table;
    const choices = [...this.#validActions, UNDO, LEAVE];
    const typed = await prompt.read('> ', choices);
    if (typed === null || typed === UNDO || typed === LEAVE || !prompt.isTerminal) return typed;
    const meant = meantAction(typed, this.#validActions);
    if (meant === undefined) return typed;
    const answer = await prompt.read(
      `not a valid action; Enter plays '${meant}', y plays what you typed, or type another action: `,
      choices,
    );
    return answer === '' ? meant : answer === 'y' ? typed : answer;
  }

  /** Undoes the last action: resets the environment with the episode's seed, and plays all actions except the last one again. */
  async #undo(): Promise<void> {
    const { print } = this.table;
    const before = this.#record!;
    if (before.steps.length === 0) return print('nothing to take back\n');
    await this.#start();
    for (const { action } of before.steps.slice(0, -1)) await this.#step(action);
    const [seen, expected] = [this.#record!.steps, before.steps].map((steps) =>
      steps.map(({ observation }) => observation),
    );
    if (seen.some((observation, i) => observation !== expected[i]))
      print('this environment cannot take actions back: the same seed and actions have led to another state\n');
    print(`took back '${before.steps.at(-1)!.action}'\n\n`);
    this.#show();
  }
}

/** Asks the player how to continue. Any answer except `restart` and `quit` starts the next episode. */
async function askNext({ prompt }: Table): Promise<Next> {
  const answer = await prompt.read('Enter: next episode; restart: this episode again; quit: stop. ', [
    'restart',
    LEAVE,
  ]);
  if (answer === null || answer === LEAVE) return 'quit';
  return answer === 'restart' ? 'restart' : 'next';
}

function ending(record: EpisodeRecord): string {
  const { terminated, info } = record.steps.at(-1)!;
  const how = info.won === true ? 'won' : terminated ? 'over' : 'cut by the limit';
  return `\n${how} after ${record.steps.length} steps; return ${recordedReturn(record)}\n`;
}

/**
 * Appends an episode to the file of demonstrations. The file is never rewritten, so that episodes which another process appends
 * at the same time are not lost.
 */
async function saveEpisode(path: string, record: EpisodeRecord): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await namingFile(path, () => appendFile(path, `${JSON.stringify(record)}\n`));
}
