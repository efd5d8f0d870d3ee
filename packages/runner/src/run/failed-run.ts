// Moves the files of a failed run, which ended without a checkpoint or results, to a subfolder, so that a run with another config
// can use the folder.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { maximum } from '@bowyer/core';

/** The files that are kept in the folder, since they belong to the folder and not to one run. */
const NOTES = /^(?:\.hydra|run\.(?:log|lock).*|starts\.jsonl|sweep-job\.json|failed-\d+)$/;

/**
 * The files of one run, in the order in which they are moved. The last one names the run's config, so that the folder still
 * belongs to the run if a kill interrupts the move.
 */
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

/**
 * Returns whether a folder has results, a checkpoint from which a run can resume, or a file that no failed run would have
 * written.
 */
export async function hasResults(directory: string): Promise<boolean> {
  const names = await readdir(directory);
  if (names.some((name) => !NOTES.test(name) && !MOVED.includes(name))) return true;
  const checkpoints = await readdir(join(directory, 'checkpoints')).catch(() => []);
  return checkpoints.some((name) => /^\d+$/.test(name));
}

/**
 * Moves the files of a failed run into a new subfolder.
 *
 * @returns the path of the subfolder
 */
export async function putAside(directory: string): Promise<string> {
  const numbers = (await readdir(directory)).map((name) => Number(/^failed-(\d+)$/.exec(name)?.[1] ?? 0));
  const folder = join(directory, `failed-${maximum([0, ...numbers]) + 1}`);
  await mkdir(folder);
  for (const name of MOVED)
    if (existsSync(join(directory, name))) await rename(join(directory, name), join(folder, name));
  return folder;
}
