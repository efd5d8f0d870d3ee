// Keeps the files of a page in memory. Relative paths are below the process's working folder, which exists from the start.
import { memfs } from 'memfs';
import { process } from './globals.js';

export const { fs } = memfs({}, process.cwd());
fs.mkdirSync(process.cwd(), { recursive: true });
