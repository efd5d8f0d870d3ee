// Reads the numbered files (parts) of a log of rollouts: lines with their positions, even while another process writes.
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { eventOf } from './log-line.js';

/** The position of a line in the log. */
export interface Place {
  part: number;
  offset: number;
  /** The length of the line without its line break. */
  bytes: number;
}

export const partPath = (folder: string, part: number): string =>
  join(folder, `rollouts.${String(part).padStart(5, '0')}.jsonl`);

/** Returns the numbers of the log's files, in order. */
export async function partsOf(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const numbers = names.flatMap((name) => /^rollouts\.(\d{5,})\.jsonl$/.exec(name)?.[1] ?? []);
  return numbers.map(Number).sort((a, b) => a - b);
}

const CHUNK = 1 << 20;

/**
 * Calls `each` for every complete line of a log file from `offset` on, in order, with bounded memory.
 *
 * @param each gets the event, or null for a damaged line
 * @returns the offset after the last complete line, and the offset after the last byte
 */
export async function readPart<T>(
  path: string,
  offset: number,
  each: (event: T | null, offset: number, bytes: number) => void,
): Promise<{ end: number; size: number }> {
  const file = await open(path, 'r');
  try {
    let rest: Buffer[] = [];
    let end = offset;
    let size = offset;
    for (;;) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, size);
      if (bytesRead === 0) return { end, size };
      const chunk = buffer.subarray(0, bytesRead);
      size += bytesRead;
      let start = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, start)) {
        const line = Buffer.concat([...rest, chunk.subarray(start, at)]);
        each(eventOf<T>(line), end, line.length);
        end += line.length + 1;
        [rest, start] = [[], at + 1];
      }
      if (start < chunk.length) rest.push(chunk.subarray(start));
    }
  } finally {
    await file.close();
  }
}

/** Reads the event at a position of the log. @throws if the checksum of the line is wrong */
export async function readEvent<T>(file: FileHandle, path: string, { offset, bytes }: Place): Promise<T> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, offset);
  const event = bytesRead === bytes ? eventOf<T>(buffer) : null;
  if (event === null) throw damaged(path, offset);
  return event;
}

export const damaged = (path: string, offset: number): Error =>
  new Error(
    `${path} is damaged at byte ${offset}: the line there has another checksum\n` +
      '  restore the file, or record into another folder',
  );
