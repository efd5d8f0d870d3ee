// Replaces `node:process` in a page.
export { process as default } from '../globals.js';
