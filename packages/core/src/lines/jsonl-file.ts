import { mkdir, open, stat, truncate, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { namingFile } from '../disk-error.js';
import { appendText } from './append-text.js';

/** An append-only file with one JSON value per line. A checkpoint stores its length; a resumed run truncates it to that length. */
export class JsonlFile {
  private constructor(
    readonly path: string,
    private length: number,
  ) {}

  /**
   * Opens the file, and creates it and its folder if necessary.
   *
   * @param length the number of bytes to keep: removes lines that a killed run wrote after its last checkpoint; null: all but an
   * incomplete last line
   * @throws if the file is shorter than `length`, since something else changed it
   */
  static async open(path: string, length: number | null): Promise<JsonlFile> {
    await namingFile(path, async () => {
      await mkdir(dirname(path), { recursive: true });
      await (await open(path, 'a')).close();
    });
    if (length === null) return new JsonlFile(path, await endLastLine(path));
    const { size } = await stat(path);
    if (size < length) {
      throw new Error(
        `${path} has ${size} bytes but the checkpoint was written when it had ${length}\n` +
          `  something has shortened it since; restore it, or start again in a new directory`,
      );
    }
    await namingFile(path, () => truncate(path, length));
    return new JsonlFile(path, length);
  }

  get bytes(): number {
    return this.length;
  }

  async append(...values: unknown[]): Promise<void> {
    await this.appendLines(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  }

  /** Appends lines. `text`: complete lines of JSON, each with its line end. */
  async appendLines(text: string): Promise<void> {
    if (text === '') return;
    await appendText(this.path, text);
    this.length += Buffer.byteLength(text);
  }
}

/** Removes a last line that is not JSON; adds a missing line end otherwise. Returns the file's length in bytes. */
async function endLastLine(path: string): Promise<number> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const start = await lineStart(file, size);
    if (start === size) return size;
    const { buffer } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    if (!isJson(buffer.toString('utf8'))) {
      await file.truncate(start);
      return start;
    }
    await file.write('\n', size);
    return size + 1;
  } finally {
    await file.close();
  }
}

const BLOCK = 64 * 1024;

/** Returns the offset at which an unterminated last line begins; `size` if there is none. */
async function lineStart(file: FileHandle, size: number): Promise<number> {
  for (let end = size; end > 0; end -= BLOCK) {
    const start = Math.max(0, end - BLOCK);
    const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    const newline = buffer.lastIndexOf(10);
    if (newline >= 0) return start + newline + 1;
  }
  return 0;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
