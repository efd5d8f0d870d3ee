// Lists the complete files and subfolders of a folder: a killed process can leave incomplete ones, under temporary names.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The endings of writeFileAtomically's and writeNewFolder's temporary names; file names of clients' ids have no dots. */
const UNFINISHED = /\.(\d+\.tmp|partial)$/;

/** Creates a folder if it is missing, and removes its incomplete files and subfolders. @returns the names of the complete ones */
export async function finishedNames(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const names = await readdir(folder);
  for (const name of names) if (UNFINISHED.test(name)) await rm(join(folder, name), { recursive: true, force: true });
  return names.filter((name) => !UNFINISHED.test(name)).sort();
}
