// Finds the folders whose entries are whole: a killed process leaves entries under temporary names.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The names under which writeFileAtomically and writeNewFolder write; file names of clients' ids have no dots. */
const UNFINISHED = /\.(\d+\.tmp|partial)$/;

/** Makes the folder where there is none, and removes what was begun in it. @returns the names of the rest */
export async function finishedNames(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const names = await readdir(folder);
  for (const name of names) if (UNFINISHED.test(name)) await rm(join(folder, name), { recursive: true, force: true });
  return names.filter((name) => !UNFINISHED.test(name)).sort();
}
