// Folders of results, each written once: whole or not at all.
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { namingFile } from './disk-error.js';

/** @param what does the writing, for the message @throws where the folder has files */
export async function refuseUsedFolder(what: string, folder: string): Promise<void> {
  if ((await readdir(folder).catch(() => [])).length > 0)
    throw new Error(`${what}: the folder '${folder}' is not empty\n  give a new one, or remove it`);
}

/** The ending of a folder's name while it is written. */
const PARTIAL = '.partial';

/**
 * The folder is written as `FOLDER.partial`, which then takes its place.
 *
 * @param write gets the folder to write into
 * @throws {Error} that names the folder and the problem, where the disk refuses it
 */
export async function writeNewFolder<T>(folder: string, write: (partial: string) => Promise<T>): Promise<T> {
  const partial = `${folder.replace(/\/+$/, '')}${PARTIAL}`;
  await namingFile(folder, async () => {
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true });
  });
  try {
    const result = await write(partial);
    await namingFile(folder, async () => {
      await rm(folder, { recursive: true, force: true });
      await rename(partial, folder);
    });
    return result;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}
