// Replaces `node:path` in a page: paths are POSIX's.
import path from 'path-browserify';

export default path;
export const {
  basename,
  delimiter,
  dirname,
  extname,
  format,
  isAbsolute,
  join,
  normalize,
  parse,
  relative,
  resolve,
  sep,
} = path;
export const posix = path;
export const win32 = path;
