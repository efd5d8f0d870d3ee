// Finds the logs of W&B runs below a folder that W&B's server does not have completely, and sends them.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { holderMessage, type LockHolder } from '@bowyer/core';
import { ADVICE, type Advice } from './place/advice.js';
import { findKey, type Environment } from './place/api-key.js';
import { placeOf, type RunPlace } from './place/run-place.js';
import { readState, syncedFile } from './server/sender-state.js';
import { baseUrlOf } from './place/settings.js';

interface SyncOptions {
  env: Environment;
  note: (message: string) => void;
  warn: (message: string) => void;
  /** Called when sending begins, with a function that aborts it. */
  onStart?: (abort: () => void) => void;
  /** Returns the command that sends the run in a folder, which warnings contain; default: this package's command. */
  syncCommand?: Advice['sync'];
}

interface SyncedRun {
  id: string;
  folder: string;
  outcome: 'sent' | 'was sent before' | 'not sent';
}

/**
 * Sends all runs below a folder that W&B's server does not have completely, one after another.
 *
 * @param path a log, the W&B folder of a run, a run's own folder, or a folder with several of them
 * @throws {Error} if there is no log, or no API key
 */
export async function syncRuns(path: string, options: SyncOptions): Promise<SyncedRun[]> {
  const logs = await logsBelow(resolve(path));
  if (logs.length === 0)
    throw new Error(
      `there is no run of W&B in '${path}': no file of the name run-ID.wandb\n  give the folder of the run`,
    );
  const baseUrl = baseUrlOf(options.env);
  const key = findKey(baseUrl, options.env);
  const runs: SyncedRun[] = [];
  for (const log of logs) {
    const place = placeOf(dirname(log), /^run-(.+)\.wandb$/.exec(basename(log))![1]);
    const outcome = (await wasSent(place)) ? 'was sent before' : await send(place, baseUrl, key, options);
    runs.push({ id: place.id, folder: place.folder, outcome });
  }
  return runs;
}

async function send(
  place: RunPlace,
  baseUrl: string,
  key: string,
  options: SyncOptions,
): Promise<SyncedRun['outcome']> {
  const { startSending } = await import('./server/send-run.js');
  const refuse = (holder: LockHolder) =>
    new Error(holderMessage(holder, (who) => `${place.folder} is being sent by ${who}`, 'wait for its end'));
  const { env, note, warn, syncCommand = ADVICE.sync } = options;
  const sending = startSending({
    place,
    baseUrl,
    key,
    env,
    note,
    warn,
    resume: null,
    onStop: () => {},
    refuse,
    syncCommand,
  });
  options.onStart?.(() => sending.abort());
  sending.end();
  return (await sending.done) ? 'sent' : 'not sent';
}

/** Returns whether the whole log was sent: the marker file beside the log contains the number of bytes that were sent. */
async function wasSent({ log }: RunPlace): Promise<boolean> {
  const marker = await readFile(syncedFile(log), 'utf8').catch(() => null);
  return marker !== null && (await readState(log)).complete && Number(marker) === (await stat(log)).size;
}

async function logsBelow(path: string): Promise<string[]> {
  const isLog = (name: string) => /^run-.+\.wandb$/.test(name);
  const found = await stat(path).catch(() => null);
  if (found?.isFile()) return isLog(basename(path)) ? [path] : [];
  if (found === null) return [];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && isLog(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}
