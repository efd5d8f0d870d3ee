// Replaces the module `node:events` when Bowyer runs in a web page.
export { default, EventEmitter, once } from 'events';
