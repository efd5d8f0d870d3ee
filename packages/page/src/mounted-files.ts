// Files that are not in memory: a `File` that was dropped into the page, one of the browser's storage (OPFS), or an answer's blob. They are
// listed in memory as empty files, and read from the blob by position.
import { fs } from './memory.js';
import { dirname } from 'path-browserify';

const blobs = new Map<string, Blob>();

/** Writes texts and bytes as files, and their folders. @param files contents by absolute path */
export function writeFiles(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, content);
    blobs.delete(path);
  }
}

/**
 * Makes a blob a file that programs can open. Its bytes stay where they are: a part is read when a program reads it.
 *
 * @param path an absolute path
 */
export function mountBlob(path: string, blob: Blob): void {
  writeFiles({ [path]: '' });
  blobs.set(path, blob);
}

/** Makes what an address has a file that programs can open. */
export async function mountUrl(path: string, url: string | URL): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${String(url)} answered ${response.status}; check the address`);
  mountBlob(path, await response.blob());
}

/** Returns the blob of a file that is mounted. */
export const mountedBlob = (path: string): Blob | undefined => blobs.get(path);

/** A handle as `open` of `node:fs/promises` gives one, for reading alone. */
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
