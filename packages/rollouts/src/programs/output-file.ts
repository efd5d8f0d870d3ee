// The file of what a program prints: its beginning and its end, whatever is between them.
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';

/** Bytes that are written as they come. */
const FIRST = 256 * 1024;
/** Bytes after those: the last ones are kept in memory, and written at the end. */
const LAST = 768 * 1024;

export class OutputFile {
  readonly #written: Promise<void>;
  /** Bytes that the file may take as they come. */
  #room = FIRST;
  #last: Buffer | null = null;
  /** Bytes after the first ones. */
  #further = 0;

  private constructor(private readonly stream: WriteStream) {
    this.#written = finished(stream);
    this.#written.catch(() => {}); // thrown by end
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

  /** @throws where the file could not be written */
  async end(): Promise<void> {
    for (const part of this.#lastParts()) this.stream.write(part);
    this.stream.end();
    await this.#written;
  }

  /** In a ring: a byte stands where its number says. */
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
