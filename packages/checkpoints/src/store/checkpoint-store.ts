// Stores the checkpoints of a run: folders that are written under a temporary name, completed by a manifest of checksums, and renamed. A
// damaged checkpoint is skipped, and the previous one is used.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namingFile } from '@bowyer/core';

const MANIFEST = 'manifest.json';
/** The number of checkpoints that are kept: the newest, and the one before it in case that one is damaged. */
const KEPT = 2;

/** `Progress` is the state that a run stores in addition to its tensors. */
export class CheckpointStore<Progress extends object> {
  /** @param otherwise the remedy that the error message advises if every checkpoint is damaged and the user has no copy */
  constructor(
    private readonly directory: string,
    private readonly otherwise = 'start again in a new directory',
  ) {}

  /** Saves a checkpoint, and returns its folder. @param number larger is newer; `write` writes the tensors into the folder */
  async save(number: number, progress: Progress, write: (folder: string) => Promise<void>): Promise<string> {
    const name = String(number).padStart(6, '0');
    const temporary = join(this.directory, `${name}.tmp`);
    await namingFile(temporary, async () => {
      await rm(temporary, { recursive: true, force: true });
      await mkdir(temporary, { recursive: true });
    });
    await write(temporary);
    await writeFlushed(join(temporary, 'progress.json'), JSON.stringify(progress));
    const checksums: Record<string, string> = {};
    for (const file of await filesBelow(temporary)) checksums[file] = await sha256(join(temporary, file));
    await writeFlushed(join(temporary, MANIFEST), JSON.stringify(checksums, null, 1));
    const final = join(this.directory, name);
    await namingFile(final, async () => {
      await rm(final, { recursive: true, force: true });
      await rename(temporary, final);
    });
    for (const old of (await this.#names()).slice(0, -KEPT)) await this.#remove(old);
    return final;
  }

  /**
   * Finds the newest undamaged checkpoint; null if there is none.
   *
   * @param warn called with a message for every damaged checkpoint that is skipped
   * @throws if there are checkpoints and all are damaged
   */
  async newest(warn: (message: string) => void): Promise<{ folder: string; progress: Progress } | null> {
    const names = (await this.#names()).reverse();
    for (const [i, name] of names.entries()) {
      const folder = join(this.directory, name);
      const damage = await findDamage(folder);
      if (damage === null)
        return { folder, progress: JSON.parse(await readFile(join(folder, 'progress.json'), 'utf8')) };
      const next = names[i + 1];
      warn(`checkpoint ${folder} is damaged: ${damage}` + (next ? `; falling back to checkpoint ${next}` : ''));
    }
    if (names.length > 0) {
      throw new Error(
        `no checkpoint in ${this.directory} can be used (${names.length} found, all damaged)\n` +
          `  restore one from a copy, or ${this.otherwise}`,
      );
    }
    return null;
  }

  #remove(name: string): Promise<void> {
    const folder = join(this.directory, name);
    return namingFile(folder, () => rm(folder, { recursive: true }));
  }

  async #names(): Promise<string[]> {
    const entries = await readdir(this.directory).catch(() => []);
    return entries.filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(a) - Number(b));
  }
}

const writeFlushed = (path: string, text: string) => namingFile(path, () => writeFile(path, text, { flush: true }));

/** Compares a checkpoint's files with their checksums. @returns the damage, or null */
async function findDamage(folder: string): Promise<string | null> {
  let checksums: Record<string, string> | null;
  try {
    checksums = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as Record<string, string> | null;
  } catch {
    return `${MANIFEST} is missing or unreadable`;
  }
  if (typeof checksums?.['progress.json'] !== 'string') return `${MANIFEST} does not list progress.json`;
  for (const [file, expected] of Object.entries(checksums)) {
    const found = await sha256(join(folder, file)).catch(() => null);
    if (found === null) return `${file} is missing`;
    if (found !== expected) return `${file} does not have the bytes that were written`;
  }
  return null;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
