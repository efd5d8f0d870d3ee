// Makes a temporary folder with the task's files for each episode of the environment `mcp`. The agent sees it under a constant
// name, so that the same calls have the same results in every episode.
import { realpathSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeTemporaryFolder, isRecord } from '@bowyer/core';

export class EpisodeFolder {
  readonly #name: RegExp;

  private constructor(
    readonly path: string,
    private readonly name: string,
  ) {
    // Matches the folder's constant name if it is a complete path or the beginning of one, also after file://.
    this.#name = new RegExp(`(?<=^|[^\\w./-]|file://)${name}(?![\\w-])`, 'g');
  }

  /** @param name the constant path under which the agent sees the folder @param files contents by relative path */
  static async make(name: string, files: Readonly<Record<string, string>>): Promise<EpisodeFolder> {
    const path = realpathSync(makeTemporaryFolder('mcp'));
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await writeFile(join(path, file), text);
    }
    return new EpisodeFolder(path, name);
  }

  /** Replaces the folder's constant name by its real path in all texts of a JSON value. */
  inside<Value>(value: Value): Value {
    if (typeof value === 'string') return value.replaceAll(this.#name, () => this.path) as Value;
    if (Array.isArray(value)) return value.map((item: unknown) => this.inside(item)) as Value;
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.inside(member)])) as Value;
  }

  /** Replaces the folder's real path by its constant name in a text. */
  outside(text: string): string {
    return text.replaceAll(this.path, () => this.name);
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }
}
