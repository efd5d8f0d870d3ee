// Hashes the contents of files, since the contents under a path may change.
import type { Hash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

/** The number of bytes that are read at a time, since a file such as a shop's catalogue may be larger than memory. */
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

/** Lists the paths of files in a value and everything inside it: options, and those of a mixture's members. */
export function filesNamedIn(value: unknown): string[] {
  // existsSync returns false for strings that cannot be paths, where statSync throws.
  if (typeof value === 'string') return existsSync(value) && statSync(value).isFile() ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(filesNamedIn) : [];
}
