// task=play: a person plays in the terminal; finished episodes are kept as demonstrations where `output` names a file.
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { environmentInfo, type Env, type ResetResult } from '@bowyer/envs';
import { namingFile, recordedInfo, recordedReturn, type EpisodeRecord } from '@bowyer/core';
import type { SharedConfig } from '../../config/keys.js';
import { engineText, wholeEnvironmentOf, type EnvironmentConfig } from '../../environment/environment.js';
import type { TaskContext } from '../task.js';

type PlayConfig = EnvironmentConfig & Pick<SharedConfig, 'seed'> & { output: string | null };

/** Typed instead of an action: leaves the episode, and once more the game. */
const LEAVE = 'quit';

export async function play(config: PlayConfig, { print, onInterrupt, envParts }: TaskContext): Promise<void> {
  const { output } = config;
  const env = wholeEnvironmentOf(config, envParts);
  const { name, description } = environmentInfo(config.env.name);
  print(`${name}: ${description}\n(${LEAVE} leaves an episode)\n`);
  const lines = createInterface({ input: process.stdin });
  onInterrupt(() => lines.close());
  const typed = lines[Symbol.asyncIterator]();
  const table: Table = {
    env,
    print,
    textOf: (result) => engineText(config, result),
    read: async () => (await typed.next()).value ?? null,
  };
  try {
    for (let seed = config.seed, next: Next = 'next'; next !== 'quit'; seed += next === 'next' ? 1 : 0) {
      const record = await playEpisode(table, seed);
      if (record !== null && output !== null) {
        await saveEpisode(output, record);
        print(`saved in ${output}\n`);
      }
      next = await askNext(table);
    }
  } finally {
    lines.close();
    await env.close();
  }
}

interface Table {
  env: Env;
  print: (text: string) => void;
  textOf: (result: ResetResult) => string;
  /** The next typed line, without its end; null when there is none any more. */
  read: () => Promise<string | null>;
}

type Next = 'quit' | 'restart' | 'next';

/** One episode; null where the player left it before its end. */
async function playEpisode({ env, print, textOf, read }: Table, seed: number): Promise<EpisodeRecord | null> {
  const start = await env.reset({ seed });
  const record: EpisodeRecord = {
    reset: { observation: start.observation, info: recordedInfo(start.info) },
    steps: [],
  };
  print(`\nepisode with seed ${seed}\n\n${scene(textOf(start), start.info)}`);
  for (;;) {
    print('> ');
    const action = await read();
    if (action === null || action === LEAVE) return null;
    const { observation, reward, terminated, truncated, info } = await env.step(action);
    record.steps.push({ action, observation, reward, terminated, truncated, info: recordedInfo(info) });
    print(`${scene(textOf({ observation, info }), info)}reward ${reward}\n`);
    if (terminated || truncated) {
      print(ending(record));
      return record;
    }
  }
}

/** Anything but the two other answers continues. */
async function askNext({ print, read }: Table): Promise<Next> {
  print('Enter: next episode, restart: this one again, quit: stop. ');
  const answer = await read();
  if (answer === null || answer === LEAVE) return 'quit';
  return answer === 'restart' ? 'restart' : 'next';
}

/** What a player sees: the text, and valid actions and the score where the environment reports them. */
function scene(text: string, info: Record<string, unknown>): string {
  const lines = [text.replace(/^\n+|\n+$/g, '')];
  if (Array.isArray(info.validActions) && info.validActions.length > 0) {
    lines.push(`valid actions: ${info.validActions.join(' | ')}`);
  }
  if (typeof info.score === 'number') lines.push(`score ${info.score}`);
  return `${lines.join('\n')}\n`;
}

function ending(record: EpisodeRecord): string {
  const { terminated, info } = record.steps.at(-1)!;
  const how = info.won === true ? 'won' : terminated ? 'over' : 'cut by the limit';
  return `\n${how} after ${record.steps.length} steps; return ${recordedReturn(record)}\n`;
}

/** A line more; the file is never rewritten, so episodes played at the same time elsewhere stay. */
async function saveEpisode(path: string, record: EpisodeRecord): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await namingFile(path, () => appendFile(path, `${JSON.stringify(record)}\n`));
}
