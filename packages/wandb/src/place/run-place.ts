// Finds or creates the folder in which a run is logged, in the layout of W&B's clients: the folder wandb/run-TIME-ID contains the
// log run-ID.wandb and the folder `files`.
import { randomInt } from 'node:crypto';
import { access, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import { namingFile, writeFileAtomically } from '@bowyer/core';
import type { WandbSettings } from './settings.js';

export interface RunPlace {
  id: string;
  folder: string;
  log: string;
  files: string;
}

/** The file names the W&B run and its folder, so that a later process continues the same W&B run. */
const MARK = 'wandb-run.json';
interface Mark {
  run_id: string;
  /** The path of the W&B folder. It is relative if the W&B folder is below the run's own folder. */
  folder: string;
}

/**
 * Returns the W&B folder of a run, which is created for a new run.
 *
 * @param otherRun how to avoid a folder with another W&B run, for the error message
 * @throws {Error} if the run's own folder already belongs to a W&B run with another id
 */
export async function findPlace(
  directory: string,
  { runId, dir, mode }: WandbSettings,
  otherRun: string,
): Promise<RunPlace> {
  const path = join(directory, MARK);
  const text = await readFile(path, 'utf8').catch(() => null);
  const mark = text === null ? null : (JSON.parse(text) as Mark);
  if (mark !== null && runId !== null && mark.run_id !== runId)
    throw new Error(`the run in ${directory} is the W&B run ${mark.run_id} already, not ${runId}\n  ${otherRun}`);
  if (mark !== null) return placeOf(resolve(directory, mark.folder), mark.run_id);
  const id = runId ?? newId();
  const parent = join(dir === null ? directory : resolve(dir), dir === null ? 'wandb' : await wandbFolder(dir));
  const name = `${mode === 'offline' ? 'offline-run' : 'run'}-${localTime(new Date())}-${id}`;
  const place = placeOf(join(parent, name), id);
  await namingFile(place.folder, () => mkdir(place.files, { recursive: true }));
  await linkLatest(parent, name);
  const inside = relative(directory, place.folder);
  const folder = inside.startsWith('..') || isAbsolute(inside) ? place.folder : inside;
  await writeFileAtomically(path, `${JSON.stringify({ run_id: id, folder } satisfies Mark)}\n`);
  return place;
}

/**
 * Returns the id of the W&B run that trained a model, from a file in the run's folder two levels above the model; null if it is
 * unknown.
 */
export async function makerOf(model: string): Promise<string | null> {
  const text = await readFile(join(model, '..', '..', MARK), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Mark).run_id;
}

export const placeOf = (folder: string, id: string): RunPlace => ({
  id,
  folder,
  log: join(folder, `run-${id}.wandb`),
  files: join(folder, 'files'),
});

/** Returns the name of W&B's folder, as W&B's clients choose it: `.wandb` if this folder exists, else `wandb`. */
const wandbFolder = async (dir: string) => ((await exists(join(dir, '.wandb'))) ? '.wandb' : 'wandb');

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

async function linkLatest(parent: string, name: string): Promise<void> {
  const link = join(parent, 'latest-run');
  await rm(link, { force: true });
  await symlink(basename(name), link).catch(() => {}); // some file systems have no links
}

/** Draws an id for a W&B run without a seed, since it must differ from those of all other runs at W&B's server. */
const newId = () => Array.from({ length: 8 }, () => 'abcdefghijklmnopqrstuvwxyz0123456789'[randomInt(36)]).join('');

/** Formats a local time as in the names of W&B's folders. */
function localTime(time: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const date = `${time.getFullYear()}${two(time.getMonth() + 1)}${two(time.getDate())}`;
  return `${date}_${two(time.getHours())}${two(time.getMinutes())}${two(time.getSeconds())}`;
}
