// Replaces the module `node:process` when the program runs in a web page.
export { process as default } from '../globals.js';
