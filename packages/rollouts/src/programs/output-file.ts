// Writes the output of a user's program to a file. If the output is long, only its first and last bytes are written.
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';

/** The number of first bytes of the output, which are written as they arrive. */
const FIRST = 256 * 1024;
/** The number of last bytes of the output, which are kept in memory and written when the program has ended. */
const LAST = 768 * 1024;

export class OutputFile {
  readonly #written: Promise<void>;
  /** The number of bytes that may still be written as they arrive, before `FIRST` bytes are in the file. */
  #room = FIRST;
  #last: Buffer | null = null;
  /** The number of bytes of the output after the first `FIRST` bytes. */
  #further = 0;

  private constructor(private readonly stream: WriteStream) {
    this.#written = finished(stream);
    this.#written.catch(() => {}); // `end` throws the error
  }

  /** Opens a file to append the output of a program. The file and its folder are created if they are missing. */
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

  /** Writes the last bytes of the output to the file. @throws if the file could not be written */
  async end(): Promise<void> {
    for (const part of this.#lastParts()) this.stream.write(part);
    this.stream.end();
    await this.#written;
  }

  /** Stores the last bytes of the output in a ring buffer, in which a byte's index follows from its position in the output. */
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
