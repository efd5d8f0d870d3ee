// Stores JSON records by id, each in its own file, which is written completely or not at all, even if the process is killed.
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

  /** Writes an entry. It can be read once it is on disk; if the disk is full, the former entry is kept. */
  set(id: string, entry: Entry): Promise<void> {
    return this.#inTurn(id, () => this.#write(id, entry));
  }

  /** Changes fields of an existing entry, after the changes of this entry that are in progress. */
  change(id: string, changes: Partial<Entry>): Promise<void> {
    return this.#inTurn(id, async () => {
      const before = this.entries.get(id);
      if (before) await this.#write(id, { ...before, ...changes });
    });
  }

  async #write(id: string, entry: Entry): Promise<void> {
    await writeFileAtomically(this.#path(id), JSON.stringify(entry));
    this.entries.set(id, entry);
  }

  async delete(id: string): Promise<void> {
    await this.#inTurn(id, async () => {
      await rm(this.#path(id), { force: true });
      this.entries.delete(id);
    });
  }

  /** The last change in progress of each entry, by id; the next change of the entry waits for it. */
  readonly #changes = new Map<string, Promise<void>>();

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
