// Copies the folders of checkpoints. They can be copied by hard links, since their files never change once they are written.
import { copyFile, link, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeNewFolder } from '@bowyer/core';

/** Copies a folder completely or not at all. On file systems with hard links the copy takes no disk space. */
export const copyNewFolder = (from: string, to: string): Promise<void> =>
  writeNewFolder(to, async (partial) => {
    for (const name of await readdir(from)) {
      const [file, copy] = [join(from, name), join(partial, name)];
      await link(file, copy).catch(() => copyFile(file, copy));
    }
  });
