// The files of a page in memory. A relative path is below the working folder of the process, which is there from the start.
import { memfs } from 'memfs';
import { process } from './globals.js';

export const { fs } = memfs({}, process.cwd());
fs.mkdirSync(process.cwd(), { recursive: true });
