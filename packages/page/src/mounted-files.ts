// Mounts large files without copying them to memory: a `File` that was dropped onto the page or is in the browser's storage
// (OPFS), or the blob of an HTTP response. The file system in memory lists them as empty files; their content is read from the
// blob by offset.
import { fs } from './memory.js';
import { dirname } from 'path-browserify';

const blobs = new Map<string, Blob>();

/** Writes files to the file system in memory, and creates their folders. @param files contents by absolute path */
export function writeFiles(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, content);
    blobs.delete(path);
  }
}

/**
 * Mounts a blob as a file that the program can open. Its bytes are read only when the program reads them.
 *
 * @param path an absolute path
 */
export function mountBlob(path: string, blob: Blob): void {
  writeFiles({ [path]: '' });
  blobs.set(path, blob);
}

/** Downloads the content of an address and mounts it as a file that the program can open. */
export async function mountUrl(path: string, url: string | URL): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${String(url)} answered ${response.status}; check the address`);
  mountBlob(path, await response.blob());
}

/** Returns the blob that is mounted at a path; undefined if there is none. */
export const mountedBlob = (path: string): Blob | undefined => blobs.get(path);

/** Returns a read-only file handle on a blob, like that of `open` in `node:fs/promises`. */
export const blobHandle = (blob: Blob) => ({
  async read(target: Uint8Array, offset = 0, length = target.length - offset, position = 0) {
    const bytes = new Uint8Array(await blob.slice(position, position + length).arrayBuffer());
    target.set(bytes, offset);
    return { bytesRead: bytes.length, buffer: target };
  },
  stat: () => Promise.resolve({ size: blob.size, isFile: () => true, isDirectory: () => false }),
  readFile: async (encoding?: string) =>
    encoding === undefined ? new Uint8Array(await blob.arrayBuffer()) : await blob.text(),
  close: () => Promise.resolve(),
});
