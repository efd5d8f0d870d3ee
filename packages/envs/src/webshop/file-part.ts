// Reads byte ranges of a file on request. The operating system caches them in memory.
import { openSync, readSync } from 'node:fs';

export class FilePart {
  readonly #file: number;

  /** Opens the file, which stays open until the process ends. */
  constructor(path: string) {
    this.#file = openSync(path, 'r');
  }

  read(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length;) {
      const read = readSync(this.#file, bytes, done, length - done, offset + done);
      if (read === 0) throw new RangeError(`the file ends at ${offset + done}, before ${offset + length}`);
      done += read;
    }
    return bytes;
  }
}

/** Copies bytes to a new buffer, whose start is aligned as typed arrays of larger numbers require. */
export const aligned = (bytes: Buffer): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
