// Folders of results, each written once: whole or not at all.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namingFile } from './disk-error.js';

/** Throws an error where a folder has files. @param what does the writing, for the message */
export async function refuseUsedFolder(what: string, folder: string): Promise<void> {
  if ((await readdir(folder).catch(() => [])).length > 0)
    throw new Error(`${what}: the folder '${folder}' is not empty\n  give a new one, or remove it`);
}

/** The ending of a folder's name while it is written. */
const PARTIAL = '.partial';

/** The file of a folder that is whole and whose command has not said so yet: it has the command. */
const UNREPORTED = '.bowyer-unreported';

/**
 * Writes a folder as `FOLDER.partial`, which then takes its place.
 *
 * @param write gets the folder to write into
 * @param command what writes it, if that is to be known from the folder until `reportFolder`: a kill may come between
 * @throws {Error} that names the folder and the problem, where the disk refuses it
 */
export async function writeNewFolder<T>(
  folder: string,
  write: (partial: string) => Promise<T>,
  command?: string,
): Promise<T> {
  const partial = `${folder.replace(/\/+$/, '')}${PARTIAL}`;
  await namingFile(folder, async () => {
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true });
  });
  try {
    const result = await write(partial);
    await namingFile(folder, async () => {
      if (command !== undefined) await writeFile(join(partial, UNREPORTED), command);
      await rm(folder, { recursive: true, force: true });
      await rename(partial, folder);
    });
    return result;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Returns whether a folder is whole, and the same command was killed before it could say so. */
export const isUnreported = async (folder: string, command: string): Promise<boolean> =>
  (await readFile(join(folder, UNREPORTED), 'utf8').catch(() => null)) === command;

/** Notes that the command has said that the folder is written. */
export const reportFolder = (folder: string): Promise<void> => rm(join(folder, UNREPORTED), { force: true });
