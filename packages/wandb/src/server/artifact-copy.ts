// Copies checkpoints that wait for their upload to W&B's server, since the run may replace or remove the original before the
// upload.
import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { namingFile } from '@bowyer/core';
import type { ArtifactRecord } from '../log/records.js';

/** The name of the folder with the copies, within the run's W&B folder. */
const COPIES = 'artifacts';

/**
 * Copies a folder under another name. Tensor files, which a run never overwrites, become hard links if the file system supports
 * them, so that they take no space.
 *
 * @returns the path of the copy
 */
export async function copyFolder(folder: string, runFolder: string, name: string): Promise<string> {
  const copy = resolve(runFolder, COPIES, name);
  await rm(copy, { recursive: true, force: true });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const from = join(entry.parentPath, entry.name);
    const to = join(copy, relative(folder, from));
    await namingFile(to, async () => {
      await mkdir(dirname(to), { recursive: true });
      const linked =
        from.endsWith('.safetensors') &&
        (await link(from, to).then(
          () => true,
          () => false,
        ));
      if (!linked) await copyFile(from, to);
    });
  }
  return copy;
}

/** Removes the copy of an artifact after its upload, if there is one. */
export async function removeCopy(runFolder: string, { manifest }: ArtifactRecord): Promise<void> {
  const copies = resolve(runFolder, COPIES);
  const path = manifest?.contents?.[0]?.local_path;
  if (path === undefined) return;
  const [name] = relative(copies, path).split('/');
  if (name !== '..' && path.startsWith(`${copies}/`)) await rm(join(copies, name), { recursive: true, force: true });
}
