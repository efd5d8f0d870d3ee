// Files of a page: in memory, over a `File` or a URL, and kept in the browser's storage; requests to servers in it.
export { fs as files } from 'memfs';
export { process, writeTo, type Write } from './globals.js';
export { ask, type AnswerHead, type PageAsk } from './node/http.js';
export { mountBlob, mountUrl, writeFiles } from './mounted-files.js';
export { SavedFiles } from './saved-files.js';
