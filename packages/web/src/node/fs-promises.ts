// `node:fs/promises` in a page.
import { fs } from 'memfs';

const { constants, promises } = fs;
export { constants };
export default promises;

type Files = typeof promises;
/** Binds a method to its object: memfs's are called with it alone. */
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
export const open = bound('open');
export const opendir = bound('opendir');
export const readdir = bound('readdir');
export const readFile = bound('readFile');
export const readlink = bound('readlink');
export const realpath = bound('realpath');
export const rename = bound('rename');
export const rm = bound('rm');
export const rmdir = bound('rmdir');
export const stat = bound('stat');
export const statfs = bound('statfs');
export const symlink = bound('symlink');
export const truncate = bound('truncate');
export const unlink = bound('unlink');
export const utimes = bound('utimes');
export const writeFile = bound('writeFile');
