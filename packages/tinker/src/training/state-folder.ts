// Folders that are written whole or not at all.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { namingFile } from '@bowyer/core';

/** Writes under a temporary name beside the folder, which then takes its place, and that of an earlier one. */
export async function writeFolder(folder: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${folder}.${process.pid}.tmp`;
  const former = `${folder}.${process.pid}.old`;
  await namingFile(folder, async () => {
    await mkdir(dirname(folder), { recursive: true });
    await rm(temporary, { recursive: true, force: true });
    await mkdir(temporary);
    try {
      await write(temporary);
      if (existsSync(folder)) await rename(folder, former);
      await rename(temporary, folder);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      throw error;
    }
    await rm(former, { recursive: true, force: true });
  });
}
