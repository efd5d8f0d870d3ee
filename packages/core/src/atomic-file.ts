import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { namingFile } from './disk-error.js';
import { checkHeld } from './held-locks.js';

/** Writes a file completely or not at all: to a temporary name in the same folder, which is then renamed. Creates the folder. */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await namingFile(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    try {
      await writeFile(temporary, content, { flush: true });
      checkHeld(path);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  });
}
