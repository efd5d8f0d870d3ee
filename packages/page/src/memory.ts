// Keeps the files of a program that runs in a web page in memory. Relative paths are below the working folder of `process`, which
// always exists.
import { memfs } from 'memfs';
import { process } from './globals.js';

export const { fs } = memfs({}, process.cwd());
fs.mkdirSync(process.cwd(), { recursive: true });
