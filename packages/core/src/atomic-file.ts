import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a whole file or nothing: to a temporary name in the same folder, which is then renamed. Makes the folder. */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, content, { flush: true });
  await rename(temporary, path);
}
