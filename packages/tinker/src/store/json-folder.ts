// Records by their ids, each a file of its own that is written whole: what is read back is what was written, whenever the process ends.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';
import { fileName, idOf } from './file-names.js';
import { finishedNames } from './finished-names.js';

const ENDING = '.json';

export class JsonFolder<Entry extends object> {
  private constructor(
    private readonly folder: string,
    readonly entries: Map<string, Entry>,
  ) {}

  static async open<Entry extends object>(folder: string): Promise<JsonFolder<Entry>> {
    const entries = new Map<string, Entry>();
    for (const name of await finishedNames(folder)) {
      if (!name.endsWith(ENDING)) continue;
      const id = idOf(name.slice(0, -ENDING.length));
      entries.set(id, JSON.parse(await readFile(join(folder, name), 'utf8')) as Entry);
    }
    return new JsonFolder(folder, entries);
  }

  get(id: string): Entry | undefined {
    return this.entries.get(id);
  }

  async set(id: string, entry: Entry): Promise<void> {
    this.entries.set(id, entry);
    await this.#inTurn(id, () => writeFileAtomically(this.#path(id), JSON.stringify(entry)));
  }

  async delete(id: string): Promise<void> {
    this.entries.delete(id);
    await this.#inTurn(id, () => rm(this.#path(id), { force: true }));
  }

  /** The last change of each record that is being written. */
  readonly #changes = new Map<string, Promise<void>>();

  /** Changes of one record reach the disk one behind the other. */
  async #inTurn(id: string, change: () => Promise<void>): Promise<void> {
    const own = (this.#changes.get(id) ?? Promise.resolve()).catch(() => undefined).then(change);
    this.#changes.set(id, own);
    try {
      await own;
    } finally {
      if (this.#changes.get(id) === own) this.#changes.delete(id);
    }
  }

  #path(id: string): string {
    return join(this.folder, `${fileName(id)}${ENDING}`);
  }
}
