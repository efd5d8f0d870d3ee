// Keeps the episodes that each policy has played in a final test in files until the test is complete, so that an interrupted test
// resumes with the next policy.
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { namingFile, writeFileAtomically } from '@bowyer/core';

export class TestCache<Play> {
  constructor(private readonly folder: string) {}

  /** Null if there are none. @param identity everything on which the episodes depend, as JSON */
  async find(identity: unknown): Promise<Play | null> {
    try {
      return deserialize(await readFile(this.#path(identity))) as Play;
    } catch {
      return null; // the file is missing, or was written by another version of Node
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
