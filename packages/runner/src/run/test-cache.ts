// Keeps the episodes of each policy of a final test in files until all have played: a run that is killed in between resumes with the next.
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { namingFile, writeFileAtomically } from '@bowyer/core';

export class TestCache<Play> {
  constructor(private readonly folder: string) {}

  /** Returns the episodes that were kept, or null. @param identity all that decides what is played, as JSON */
  async find(identity: unknown): Promise<Play | null> {
    try {
      return deserialize(await readFile(this.#path(identity))) as Play;
    } catch {
      return null; // not there, or of another version of Node
    }
  }

  async keep(identity: unknown, play: Play): Promise<void> {
    await writeFileAtomically(this.#path(identity), serialize(play));
  }

  async remove(): Promise<void> {
    await namingFile(this.folder, () => rm(this.folder, { recursive: true, force: true }));
  }

  #path(identity: unknown): string {
    return join(this.folder, `${createHash('sha256').update(JSON.stringify(identity)).digest('hex')}.v8`);
  }
}
