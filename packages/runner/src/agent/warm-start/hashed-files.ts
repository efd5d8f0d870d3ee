// Hashes the contents of files that a config names. The hash is part of the cache key of a warm start, since the file under a
// path may change.
import type { Hash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

/**
 * The number of bytes that are read at a time, since a file such as the product catalogue of the shop environment may be larger
 * than memory.
 */
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

/** Lists paths of existing files among all strings inside a value, such as an environment's options. */
export function filesNamedIn(value: unknown): string[] {
  // existsSync is called first, since statSync throws for strings that cannot be paths.
  if (typeof value === 'string') return existsSync(value) && statSync(value).isFile() ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(filesNamedIn) : [];
}
