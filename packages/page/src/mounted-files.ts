// Mounts files whose content is not in memory: a `File` that was dropped onto the page or is in the browser's storage (OPFS), or
// the blob of an answer. In memory they are listed as empty files; their content is read from the blob by offset.
import { fs } from './memory.js';
import { dirname } from 'path-browserify';

const blobs = new Map<string, Blob>();

/** Writes texts and bytes as files, and creates their folders. @param files contents by absolute path */
export function writeFiles(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, content);
    blobs.delete(path);
  }
}

/**
 * Mounts a blob as a file that programs can open. Its bytes are read only when a program reads them.
 *
 * @param path an absolute path
 */
export function mountBlob(path: string, blob: Blob): void {
  writeFiles({ [path]: '' });
  blobs.set(path, blob);
}

/** Mounts the content of an address as a file that programs can open. */
export async function mountUrl(path: string, url: string | URL): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${String(url)} answered ${response.status}; check the address`);
  mountBlob(path, await response.blob());
}

/** Returns the blob of a mounted file. */
export const mountedBlob = (path: string): Blob | undefined => blobs.get(path);

/** Returns a read-only handle like that of `open` in `node:fs/promises`. */
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
