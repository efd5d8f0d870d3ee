// Finds the complete entries of folders: a killed process leaves incomplete ones under temporary names.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The temporary names of writeFileAtomically and writeNewFolder; file names of clients' ids contain no dots. */
const UNFINISHED = /\.(\d+\.tmp|partial)$/;

/** Creates the folder if it is missing, and removes incomplete entries. @returns the names of the others */
export async function finishedNames(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const names = await readdir(folder);
  for (const name of names) if (UNFINISHED.test(name)) await rm(join(folder, name), { recursive: true, force: true });
  return names.filter((name) => !UNFINISHED.test(name)).sort();
}
