// Reads parts of a file by offset, so that a large file is never in memory as a whole.
import { open, type FileHandle } from 'node:fs/promises';
import { WeightsFileError } from './weights-file-error.js';

export class ByteSource {
  private constructor(
    readonly path: string,
    readonly size: number,
    private readonly handle: FileHandle,
  ) {}

  static async open(path: string): Promise<ByteSource> {
    const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new WeightsFileError(path, 'there is no such file', 'check the path') : error;
    });
    return new ByteSource(path, (await handle.stat()).size, handle);
  }

  /** Reads bytes at an offset. @param what describes the bytes, for the error if the file ends before them */
  async read(position: number, length: number, what: string): Promise<Uint8Array<ArrayBuffer>> {
    this.#check(position, length, what);
    const bytes = new Uint8Array(length);
    await this.fill(position, bytes, what);
    return bytes;
  }

  /** Reads bytes at an offset into an existing array, until it is full. */
  async fill(position: number, target: Uint8Array, what: string): Promise<void> {
    const { length } = target;
    this.#check(position, length, what);
    for (let done = 0; done < length;) {
      const { bytesRead } = await this.handle.read(target, done, Math.min(2 ** 30, length - done), position + done);
      if (bytesRead === 0) throw new WeightsFileError(this.path, 'the file became shorter while it was read');
      done += bytesRead;
    }
  }

  /** Checks a range before memory is allocated, since a damaged file may have wrong lengths. */
  #check(position: number, length: number, what: string): void {
    if (!(position >= 0 && length >= 0 && position + length <= this.size))
      throw new WeightsFileError(
        this.path,
        `${what} should be ${length} bytes at ${position}, the file has ${this.size} bytes`,
      );
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
