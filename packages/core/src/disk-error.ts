// Errors of the disk, with the file that was to be written and what is free: the system's own name a call and a code.
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checkHeld } from './held-locks.js';

const MIB = 2 ** 20;

const problems: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EIO: 'the disk reports an error',
  EFBIG: 'the file is larger than the file system allows',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'a part of its path is a file, not a folder', // of a folder that is to be made
  ELOOP: 'its symbolic links lead in a circle',
  EISDIR: 'it is a folder, not a file',
};

/**
 * Runs `write`, which writes to `path`, unless the path is below a lock that this process has lost.
 *
 * @throws {LockLostError} before anything is written
 * @throws {Error} that names the file, the problem and the free space, where the disk refuses; other errors as they are
 */
export async function namingFile<T>(path: string, write: () => Promise<T>): Promise<T> {
  checkHeld(path);
  try {
    return await write();
  } catch (error) {
    const problem = problems[(error as NodeJS.ErrnoException).code ?? ''];
    if (problem === undefined) throw error;
    throw new Error(`cannot write ${path}: ${problem}${await freeSpace(path)}`, { cause: error });
  }
}

async function freeSpace(path: string): Promise<string> {
  const system = await statfs(dirname(path)).catch(() => null);
  if (system === null) return '';
  return `; ${Math.floor((system.bavail * system.bsize) / MIB)} MiB are free there`;
}
