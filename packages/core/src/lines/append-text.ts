import { appendFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { namingFile } from '../disk-error.js';

/** The least number of bytes or characters for which a synchronous write takes longer than a request to the thread pool. */
const SHORT = 1 << 18;

/** Appends to a file; the data then survives the end of the process, in the system's cache. @throws like `namingFile` */
export function appendText(path: string, data: string | Uint8Array): Promise<void> {
  // An asynchronous append makes three requests to the thread pool (open, write, close), each of which costs this thread 0.2 ms.
  return namingFile(path, async () => (data.length <= SHORT ? appendFileSync(path, data) : appendFile(path, data)));
}
