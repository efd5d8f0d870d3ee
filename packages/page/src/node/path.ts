// Replaces the module `node:path` when Bowyer runs in a web page, where paths have the form of POSIX.
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
