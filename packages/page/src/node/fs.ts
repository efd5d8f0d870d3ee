// Replaces the module `node:fs` when Bowyer runs in a web page, with files in memory.
import { fs } from '../memory.js';
import promises from './fs-promises.js';
import { mountedBlob } from '../mounted-files.js';

export const {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  watch,
  writeFileSync,
  writeSync,
} = fs;

/** Returns a method that throws an error if the path is that of a mounted blob, since a blob cannot be read synchronously. */
const inMemory = <Name extends 'openSync' | 'readFileSync'>(name: Name): (typeof fs)[Name] =>
  ((path: unknown, ...rest: unknown[]) => {
    if (mountedBlob(String(path)))
      throw new Error(
        `'${String(path)}' is a blob of the page, which is read asynchronously; write its bytes as a file`,
      );
    return (fs[name] as (...given: unknown[]) => unknown)(path, ...rest);
  }) as (typeof fs)[Name];

export const openSync = inMemory('openSync');
export const readFileSync = inMemory('readFileSync');
export { promises };
export default Object.assign(Object.create(fs) as typeof fs, { openSync, promises, readFileSync });
