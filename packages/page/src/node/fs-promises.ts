// Replaces the module `node:fs/promises` when Bowyer runs in a web page.
import { fs } from '../memory.js';
import { blobHandle, mountedBlob } from '../mounted-files.js';

const { constants, promises } = fs;
export { constants };

type Files = typeof promises;
/** Returns a method of memfs that is bound to its object, since an export would lose the object. */
const bound = <Name extends keyof Files>(name: Name): Files[Name] =>
  (promises[name] as (...given: unknown[]) => unknown).bind(promises) as Files[Name];

export const access = bound('access');
export const appendFile = bound('appendFile');
export const chmod = bound('chmod');
export const copyFile = bound('copyFile');
export const cp = bound('cp');
export const link = bound('link');
export const lstat = bound('lstat');
export const mkdir = bound('mkdir');
export const mkdtemp = bound('mkdtemp');
export const opendir = bound('opendir');
export const readdir = bound('readdir');
export const readlink = bound('readlink');
export const realpath = bound('realpath');
export const rename = bound('rename');
export const rm = bound('rm');
export const rmdir = bound('rmdir');
export const statfs = bound('statfs');
export const symlink = bound('symlink');
export const truncate = bound('truncate');
export const unlink = bound('unlink');
export const utimes = bound('utimes');
export const writeFile = bound('writeFile');

/** Returns a method that reads a mounted blob if there is one at the path, and otherwise the file in memory. */
const overBlobs = <Name extends keyof Files>(
  name: Name,
  read: (blob: Blob, ...rest: never[]) => unknown,
): Files[Name] =>
  ((path: unknown, ...rest: never[]) => {
    const blob = mountedBlob(String(path));
    return blob ? read(blob, ...rest) : (promises[name] as (...given: unknown[]) => unknown)(path, ...rest);
  }) as Files[Name];

export const open = overBlobs('open', async (blob) => blobHandle(blob));
export const readFile = overBlobs('readFile', (blob, encoding?: string) => blobHandle(blob).readFile(encoding));
export const stat = overBlobs('stat', (blob) => blobHandle(blob).stat());
export default Object.assign(Object.create(promises) as Files, { open, readFile, stat });
