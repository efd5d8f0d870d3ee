// Replaces `node:events` in a page.
export { default, EventEmitter, once } from 'events';
