// Moves the files of a run that ended without a checkpoint or results, so that a command with another config can use its folder.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { maximum } from '@bowyer/core';

/** The files that belong to the folder and not to one run. */
const NOTES = /^(?:\.hydra|run\.(?:log|lock).*|starts\.jsonl|sweep-job\.json|failed-\d+)$/;

/** The files of one run. The last one names its config, so that a folder that a kill leaves half moved still belongs to that run. */
const MOVED = [
  'calls',
  'checkpoints',
  'metrics.csv',
  'metrics.jsonl',
  'programs',
  'report.html',
  'tensorboard',
  'timings.jsonl',
  'trace.json',
  'trajectories',
  'wandb',
  'warm-start.jsonl',
  'run-config.json',
];

/** Returns whether a folder has results, a checkpoint to resume from, or any file that runs do not write before those. */
export async function hasResults(directory: string): Promise<boolean> {
  const names = await readdir(directory);
  if (names.some((name) => !NOTES.test(name) && !MOVED.includes(name))) return true;
  const checkpoints = await readdir(join(directory, 'checkpoints')).catch(() => []);
  return checkpoints.some((name) => /^\d+$/.test(name));
}

/** Moves the files of a run without results into a subfolder. @returns its path */
export async function putAside(directory: string): Promise<string> {
  const numbers = (await readdir(directory)).map((name) => Number(/^failed-(\d+)$/.exec(name)?.[1] ?? 0));
  const folder = join(directory, `failed-${maximum([0, ...numbers]) + 1}`);
  await mkdir(folder);
  for (const name of MOVED)
    if (existsSync(join(directory, name))) await rename(join(directory, name), join(folder, name));
  return folder;
}
