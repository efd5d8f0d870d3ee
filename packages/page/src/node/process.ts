// Replaces the module `node:process` when Bowyer runs in a web page.
export { process as default } from '../globals.js';
