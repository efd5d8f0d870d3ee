// Finds the runs in a folder that the user names: a run's own folder, a sweep's, or one that contains several of them.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CONFIG_FILE } from '../run/recorded-config.js';

/** The number of folder levels that are searched for runs. */
const DEPTH = 3;
const RUN_FILES = [CONFIG_FILE, 'metrics.jsonl'];

export const isRun = (directory: string): boolean => RUN_FILES.some((name) => existsSync(join(directory, name)));

/** Sorted by name, with numbers in numeric order. @throws if there is no run in or below the folder */
export async function findRuns(directory: string): Promise<string[]> {
  const found = await search(directory, DEPTH);
  if (found.length > 0) return found;
  throw new Error(
    existsSync(directory)
      ? `${directory}: no run is there or in the folders below it\n  a run has the file ${RUN_FILES.join(' or ')}`
      : `${directory}: there is no such folder\n  give the folder of a run, or one above the folders of runs`,
  );
}

async function search(directory: string, depth: number): Promise<string[]> {
  if (isRun(directory)) return [directory];
  if (depth === 0) return [];
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const folders = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'cache')
    .map(({ name }) => name)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const below: string[] = [];
  for (const name of folders) below.push(...(await search(join(directory, name), depth - 1)));
  return below;
}
