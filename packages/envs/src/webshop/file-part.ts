// Reads parts of a file on request; the operating system caches what is read often.
import { openSync, readSync } from 'node:fs';

export class FilePart {
  readonly #file: number;

  /** Opens the file, which stays open as long as the process. */
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

/** Returns the bytes at the start of a buffer of their own, as typed arrays of larger numbers need them. */
export const aligned = (bytes: Buffer): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
