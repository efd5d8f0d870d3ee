// Writes the files of a job under temporary names, then renames them, so that each is either complete or absent.
import { existsSync, mkdirSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config-error.js';

export function makeFolder(folder: string, setting: string): void {
  try {
    // mkdir's option `recursive` reports a read-only file system as ENOENT, and never returns for a path below /proc (Node 20).
    const missing: string[] = [];
    for (let at = path.resolve(folder); !existsSync(at); at = path.dirname(at)) missing.unshift(at);
    for (const each of missing) makeOne(each);
    mkdirSync(folder, { recursive: true }); // throws if the path is a file
  } catch (error) {
    throw new ConfigError(
      'file',
      `Cannot make the folder '${folder}': ${reasonOf(error)}`,
      [`${setting} says where it goes; give another place`],
      { keyPath: setting, file: folder, cause: error },
    );
  }
}

/** Returns the code and the description of a system error, such as `ENOSPC (no space left on device)`. */
function reasonOf(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  const words = /^\w+: (.*?),/.exec(message)?.[1];
  return words === undefined ? code : `${code} (${words})`;
}

function freeSpace(folder: string): string {
  if (!existsSync(folder)) return 'it does not exist';
  const { bavail, bsize } = statfsSync(folder);
  return `${Math.floor((bavail * bsize) / 2 ** 20)} MiB are free there`;
}

/** Creates one folder; it is not an error if another process creates the folder at the same time. */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

export function writeFileWhole(file: string, text: string): void {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.part`);
  try {
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new ConfigError(
      'file',
      `Cannot write '${file}': ${reasonOf(error)}`,
      [`check its folder; ${freeSpace(path.dirname(file))}`],
      { file, cause: error },
    );
  }
}
