// Replaces the module `node:events` when the program runs in a web page.
export { default, EventEmitter, once } from 'events';
