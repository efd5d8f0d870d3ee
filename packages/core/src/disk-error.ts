// Describes disk errors in words, since the system's messages only contain a call and a code.
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checkHeld } from './held-locks.js';

const MIB = 2 ** 20;

const ofPaths: Readonly<Record<string, string>> = {
  EIO: 'the disk reports an error',
  ENOTDIR: 'a part of its path is a file, not a folder',
  ELOOP: 'its symbolic links lead in a circle',
  EISDIR: 'it is a folder, not a file',
  ENAMETOOLONG: 'its name is too long',
};

const ofReading: Readonly<Record<string, string>> = {
  ...ofPaths,
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EMFILE: 'too many files are open: ulimit -n says how many may be',
  ENFILE: 'too many files are open on this machine',
};

const ofWriting: Readonly<Record<string, string>> = {
  ...ofPaths,
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EFBIG: 'the file is larger than the file system allows',
  EEXIST: 'a part of its path is a file, not a folder', // when creating a folder
};

/** Returns in words the reason for which the system cannot read a file; the system's message for unknown codes. */
export const readProblem = ({ code = '', message }: NodeJS.ErrnoException): string => ofReading[code] ?? message;

/** Returns in words the reason for which the system cannot write a file; the system's message for unknown codes. */
export const writeProblem = ({ code = '', message }: NodeJS.ErrnoException): string => ofWriting[code] ?? message;

/**
 * Runs `write`, which writes to `path`, unless a lock protects the path and this process has lost it.
 *
 * @throws {LockLostError} before anything is written
 * @throws {Error} that names the file, the problem and the free space, if the disk refuses; other errors unchanged
 */
export async function namingFile<T>(path: string, write: () => Promise<T>): Promise<T> {
  checkHeld(path);
  try {
    return await write();
  } catch (error) {
    const problem = ofWriting[(error as NodeJS.ErrnoException).code ?? ''];
    if (problem === undefined) throw error;
    throw new Error(`cannot write ${path}: ${problem}${await freeSpace(path)}`, { cause: error });
  }
}

async function freeSpace(path: string): Promise<string> {
  const system = await statfs(dirname(path)).catch(() => null);
  if (system === null) return '';
  return `; ${Math.floor((system.bavail * system.bsize) / MIB)} MiB are free there`;
}
