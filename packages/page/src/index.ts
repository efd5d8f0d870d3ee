// Exports the file system that Bowyer uses in a web page (files in memory, mounted from a `File` or a URL, or kept in the
// browser's storage), and the function that sends requests to servers in the page.
import type * as nodeFiles from 'node:fs';
import { fs } from './memory.js';
export { process, writeTo, type Write } from './globals.js';
export { ask, type AnswerHead, type PageAsk } from './node/http.js';
export { mountBlob, mountUrl, writeFiles } from './mounted-files.js';
export { SavedFiles } from './saved-files.js';

/** The page's files in memory. The type is that of Node's module, since the memfs package and its types are bundled. */
export const files: typeof nodeFiles = fs as typeof fs & typeof nodeFiles;
