// Appends lines to the newest file of a log of rollouts, so that they survive the kill of the process and a power failure. All
// lines that wait are written to disk by one fdatasync.
import { constants } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { namingFile } from '@bowyer/core';
import { partPath, type Place } from './log-parts.js';

interface Waiting {
  line: Buffer;
  resolve: (place: Place) => void;
  reject: (error: unknown) => void;
}

interface LogWriterOptions {
  /** The size of a log file in bytes at which the next file is begun. */
  partBytes: number;
  /** The largest total size of the log's files in bytes; if it is exceeded, the oldest files are removed. */
  mostBytes: number;
  onRemoved: (part: number) => void;
}

export class LogWriter {
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;
  #broken: unknown = null;

  private constructor(
    private readonly folder: string,
    private readonly options: LogWriterOptions,
    /** The sizes in bytes of the older files by number, the oldest first. */
    private readonly older: Map<number, number>,
    private file: FileHandle,
    private part: number,
    private offset: number,
  ) {}

  /** Opens the newest file to append to it. @param sizes valid bytes of each file in order; those after them are removed */
  static async open(folder: string, sizes: Map<number, number>, options: LogWriterOptions): Promise<LogWriter> {
    const [part, length] = [...sizes].at(-1) ?? [1, 0];
    const older = new Map([...sizes].slice(0, -1));
    const file = await openPart(folder, part);
    await file.truncate(length);
    await file.sync();
    return new LogWriter(folder, options, older, file, part, length);
  }

  /** Appends a line. @param line with its line break @returns its position once it is on disk */
  append(line: string): Promise<Place> {
    const written = new Promise<Place>((resolve, reject) =>
      this.#waiting.push({ line: Buffer.from(line), resolve, reject }),
    );
    this.#writing ??= this.#write();
    return written;
  }

  /** Waits until the appended lines are on disk, and closes the file. */
  async close(): Promise<void> {
    await this.#writing;
    await this.file.close();
  }

  async #write(): Promise<void> {
    await Promise.resolve(); // lines of the same turn of the event loop go to disk together
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0);
      try {
        if (this.#broken !== null) throw this.#broken;
        await namingFile(partPath(this.folder, this.part), () => this.#writeGroup(group));
      } catch (error) {
        await this.#takeBack(error);
        for (const { reject } of group) reject(error);
      }
    }
    this.#writing = null; // no `await` follows the last check for lines, so that no line is missed
  }

  /** Removes the bytes of a failed write from the end of the file. */
  async #takeBack(error: unknown): Promise<void> {
    try {
      await this.file.truncate(this.offset);
    } catch {
      this.#broken = error; // it is unknown how much of the line is in the file
    }
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    if (this.offset >= this.options.partBytes) await this.#beginPart();
    const bytes = Buffer.concat(group.map(({ line }) => line));
    await this.#makeRoom(bytes.length);
    for (let written = 0; written < bytes.length;)
      written += (await this.file.write(bytes, written, bytes.length - written, this.offset + written)).bytesWritten;
    await this.file.datasync();
    for (const { line, resolve } of group) {
      resolve({ part: this.part, offset: this.offset, bytes: line.length - 1 });
      this.offset += line.length;
    }
  }

  /** Removes the oldest files of the log to make room for `bytes` more. The newest file is kept, whatever its size. */
  async #makeRoom(bytes: number): Promise<void> {
    const { mostBytes, onRemoved } = this.options;
    let total = this.offset + bytes;
    for (const size of this.older.values()) total += size;
    for (const [part, size] of this.older) {
      if (total <= mostBytes) return;
      await rm(partPath(this.folder, part), { force: true });
      this.older.delete(part);
      onRemoved(part);
      total -= size;
    }
  }

  async #beginPart(): Promise<void> {
    const next = await openPart(this.folder, this.part + 1);
    await this.file.close();
    this.older.set(this.part, this.offset);
    [this.file, this.part, this.offset] = [next, this.part + 1, 0];
  }
}

async function openPart(folder: string, part: number): Promise<FileHandle> {
  const path = partPath(folder, part);
  const file = await namingFile(path, () => open(path, constants.O_RDWR | constants.O_CREAT));
  await syncFolder(folder);
  return file;
}

/** Syncs a folder to disk, without which a power failure may lose a new file. Windows cannot and need not do it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
