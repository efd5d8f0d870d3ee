// Contents of files in a hash: a file may change under its name.
import type { Hash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

/** Files may be larger than memory, such as a shop's catalogue. */
const PIECE = 2 ** 20;

export function addFile(hash: Hash, path: string): void {
  const file = openSync(path, 'r');
  try {
    const piece = Buffer.alloc(PIECE);
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) hash.update(piece.subarray(0, read));
  } finally {
    closeSync(file);
  }
}

/** Lists the texts that are names of files, in a value and all that it contains: options, also those of a mixture's members. */
export function filesNamedIn(value: unknown): string[] {
  // existsSync is false for texts that cannot be names, where statSync throws.
  if (typeof value === 'string') return existsSync(value) && statSync(value).isFile() ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(filesNamedIn) : [];
}
