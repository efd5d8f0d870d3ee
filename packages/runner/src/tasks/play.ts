// task=play: a person plays in the terminal; finished episodes are kept as demonstrations where `output` names a file.
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Env, ResetResult } from '@bowyer/envs';
import { environmentInfo } from '@bowyer/envs';
import { environmentOf } from '../environments.js';
import { recordedInfo, recordedReturn, type EpisodeRecord } from '../episode-record.js';
import type { RunConfig } from '../run-config.js';
import type { TaskContext } from './task.js';

const COMMANDS = 'quit: stop playing; restart: this episode again; next: another episode';

export async function play(config: RunConfig, { print, onInterrupt }: TaskContext): Promise<void> {
  const env = environmentOf(config)();
  const { name, description } = environmentInfo(config.env.name);
  print(`${name}: ${description}\n(${COMMANDS})\n`);
  const lines = createInterface({ input: process.stdin });
  onInterrupt(() => lines.close());
  const typed = lines[Symbol.asyncIterator]();
  const table: Table = { env, print, read: async () => (await typed.next()).value ?? null };
  try {
    let seed = config.seed;
    for (;;) {
      const { record, next } = await playEpisode(table, seed);
      if (isOver(record) && config.output !== null) {
        await saveEpisode(config.output, record);
        print(`kept in ${config.output}\n`);
      }
      if (next === 'quit') return;
      if (next === 'next') seed++;
    }
  } finally {
    lines.close();
    await env.close();
  }
}

interface Table {
  env: Env;
  print: (text: string) => void;
  /** The next typed line, without its end; null when there is none any more. */
  read: () => Promise<string | null>;
}

type Next = 'quit' | 'restart' | 'next';

/** One episode, up to its end or to one of the player's own commands. */
async function playEpisode({ env, print, read }: Table, seed: number): Promise<{ record: EpisodeRecord; next: Next }> {
  const start = await env.reset({ seed });
  const record: EpisodeRecord = {
    reset: { observation: start.observation, info: recordedInfo(start.info) },
    steps: [],
  };
  print(`\nepisode with seed ${seed}\n\n${scene(start)}`);
  for (;;) {
    print(isOver(record) ? `${ending(record)}\nnext, restart or quit? ` : '> ');
    const text = await read();
    if (text === null || text === 'quit') return { record, next: 'quit' };
    if (text === 'restart' || text === 'next') return { record, next: text };
    if (isOver(record)) continue;
    const { observation, reward, terminated, truncated, info } = await env.step(text);
    record.steps.push({ action: text, observation, reward, terminated, truncated, info: recordedInfo(info) });
    print(`${scene({ observation, info })}reward ${reward}\n`);
  }
}

function isOver({ steps }: EpisodeRecord): boolean {
  const last = steps.at(-1);
  return last !== undefined && (last.terminated || last.truncated);
}

/** What a player sees: the observation, and what the environment says of valid actions and the score. */
function scene({ observation, info }: ResetResult): string {
  const lines = [observation.replace(/^\n+|\n+$/g, '')];
  if (Array.isArray(info.validActions) && info.validActions.length > 0) {
    lines.push(`valid actions: ${info.validActions.join(' | ')}`);
  }
  if (typeof info.score === 'number') lines.push(`score ${info.score}`);
  return `${lines.join('\n')}\n`;
}

function ending(record: EpisodeRecord): string {
  const { terminated, info } = record.steps.at(-1)!;
  const how = info.won === true ? 'won' : terminated ? 'over' : 'cut by the limit';
  return `\n${how} after ${record.steps.length} steps; return ${recordedReturn(record)}`;
}

/** A line more; the file is never rewritten, so episodes played at the same time elsewhere stay. */
async function saveEpisode(path: string, record: EpisodeRecord): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, `${JSON.stringify(record)}\n`);
}
