// Folders and files that a run leaves behind. Each file is written beside its place and renamed, so it is whole or not there.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config-error.js';

export function makeFolder(folder: string, setting: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new ConfigError('file', `Cannot make the folder '${folder}': ${(error as NodeJS.ErrnoException).code}`, [`${setting} says where it goes; give another place`], { keyPath: setting, file: folder, cause: error }); // prettier-ignore
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
      `Cannot write '${file}': ${(error as NodeJS.ErrnoException).code}`,
      ['check the folder and the space left'],
      { file, cause: error },
    );
  }
}
