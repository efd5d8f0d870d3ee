import { appendFile, mkdir, open, stat, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { namingFile } from '@bowyer/core';

/** An append-only file with one JSON value per line. A checkpoint stores its length; a resumed run truncates it to that length. */
export class JsonlFile {
  private constructor(
    readonly path: string,
    private length: number,
  ) {}

  /**
   * Opens the file, and creates it and its folder where needed.
   *
   * @param length bytes to keep; lines that a killed run wrote after its last checkpoint are removed. null keeps all
   * @throws if the file is shorter than `length`: something else changed it
   */
  static async open(path: string, length: number | null): Promise<JsonlFile> {
    await mkdir(dirname(path), { recursive: true });
    await (await open(path, 'a')).close();
    const { size } = await stat(path);
    if (length === null) return new JsonlFile(path, size);
    if (size < length) {
      throw new Error(
        `${path} has ${size} bytes but the checkpoint was written when it had ${length}\n` +
          `  something has shortened it since; restore it, or start again in a new directory`,
      );
    }
    await truncate(path, length);
    return new JsonlFile(path, length);
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.length;
  }

  async append(...values: unknown[]): Promise<void> {
    await this.appendLines(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  }

  /** @param text whole lines of JSON, each with its end */
  async appendLines(text: string): Promise<void> {
    await namingFile(this.path, () => appendFile(this.path, text));
    this.length += Buffer.byteLength(text);
  }
}
