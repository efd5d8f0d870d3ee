import { appendFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { namingFile } from '../disk-error.js';

/** Bytes or characters up to which a write goes into the system's cache faster than a request to the thread pool is made. */
const SHORT = 1 << 18;

/** Appends to a file, which is there when this resolves, and survives the end of the process. @throws as `namingFile` */
export function appendText(path: string, data: string | Uint8Array): Promise<void> {
  // A request to the thread pool costs the calling thread 0.2 ms, and there are three: open, write, close.
  return namingFile(path, async () => (data.length <= SHORT ? appendFileSync(path, data) : appendFile(path, data)));
}
