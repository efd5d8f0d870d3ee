// Copies of the folders of checkpoints, whose files are written once and never changed.
import { copyFile, link, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeNewFolder } from '@bowyer/core';

/** Copies a folder, whole or not at all. Where the file system has hard links, the copy takes no space. */
export const copyNewFolder = (from: string, to: string): Promise<void> =>
  writeNewFolder(to, async (partial) => {
    for (const name of await readdir(from)) {
      const [file, copy] = [join(from, name), join(partial, name)];
      await link(file, copy).catch(() => copyFile(file, copy));
    }
  });
