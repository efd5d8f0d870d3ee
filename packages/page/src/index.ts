// Exports the files of a page (in memory, from a `File` or a URL, or kept in the browser's storage), and requests to servers in
// it.
import type * as nodeFiles from 'node:fs';
import { fs } from './memory.js';
export { process, writeTo, type Write } from './globals.js';
export { ask, type AnswerHead, type PageAsk } from './node/http.js';
export { mountBlob, mountUrl, writeFiles } from './mounted-files.js';
export { SavedFiles } from './saved-files.js';

/** The files in memory. The type is Node's, since memfs is bundled. */
export const files: typeof nodeFiles = fs as typeof fs & typeof nodeFiles;
