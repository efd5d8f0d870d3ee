// Writes folders of results completely or not at all.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namingFile } from './disk-error.js';

/** Throws an error if a folder contains files. `what`: the writer, for the message. */
export async function refuseUsedFolder(what: string, folder: string): Promise<void> {
  if ((await readdir(folder).catch(() => [])).length > 0)
    throw new Error(`${what}: the folder '${folder}' is not empty\n  give a new one, or remove it`);
}

/** The suffix of a folder's name while it is being written. */
const PARTIAL = '.partial';

/** The name of a file in a complete folder whose command was not yet reported as finished; the file contains the command. */
const UNREPORTED = '.bowyer-unreported';

/**
 * Writes a folder as `FOLDER.partial`, which is then renamed.
 *
 * @param command the command that writes it, if it will call `reportFolder`: the folder records it until then, in case of a kill
 * @throws {Error} which names the folder and the problem, if the disk refuses it
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

/** Returns whether a folder is complete, but the same command was killed before it could report that. */
export const isUnreported = async (folder: string, command: string): Promise<boolean> =>
  (await readFile(join(folder, UNREPORTED), 'utf8').catch(() => null)) === command;

/** Records that the command has reported the folder. */
export const reportFolder = (folder: string): Promise<void> => rm(join(folder, UNREPORTED), { force: true });
