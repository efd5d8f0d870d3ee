// A file of a program's output, which keeps its beginning and its end, and leaves out what is between them.
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';

/** Bytes at the beginning, which are written as they come. */
const FIRST = 256 * 1024;
/** Bytes at the end, which are kept in memory and written when the program has ended. */
const LAST = 768 * 1024;

export class OutputFile {
  readonly #written: Promise<void>;
  /** Bytes that may still be written as they come. */
  #room = FIRST;
  #last: Buffer | null = null;
  /** The number of bytes after the first ones. */
  #further = 0;

  private constructor(private readonly stream: WriteStream) {
    this.#written = finished(stream);
    this.#written.catch(() => {}); // `end` throws the error
  }

  /** Begins to append to a file, which is made with its folder where it is missing. */
  static async open(path: string): Promise<OutputFile> {
    await mkdir(dirname(path), { recursive: true });
    return new OutputFile(createWriteStream(path, { flags: 'a' }));
  }

  add(chunk: Buffer): void {
    const first = chunk.subarray(0, this.#room);
    if (first.length > 0) this.stream.write(first);
    this.#room -= first.length;
    if (first.length < chunk.length) this.#keep(chunk.subarray(first.length));
  }

  /** Writes the end of the output. @throws where the file could not be written */
  async end(): Promise<void> {
    for (const part of this.#lastParts()) this.stream.write(part);
    this.stream.end();
    await this.#written;
  }

  /** Keeps bytes in a ring buffer: a byte's place follows from its number. */
  #keep(chunk: Buffer): void {
    this.#last ??= Buffer.alloc(LAST);
    const kept = chunk.subarray(-LAST);
    const at = (this.#further + chunk.length - kept.length) % LAST;
    const fits = kept.copy(this.#last, at);
    kept.copy(this.#last, 0, fits);
    this.#further += chunk.length;
  }

  #lastParts(): (Buffer | string)[] {
    if (this.#last === null) return [];
    if (this.#further <= LAST) return [this.#last.subarray(0, this.#further)];
    const at = this.#further % LAST;
    const note = `\n… ${this.#further - LAST} bytes are left out here: ${FIRST + LAST} are kept …\n`;
    return [note, this.#last.subarray(at), this.#last.subarray(0, at)];
  }
}
