// Replaces `node:string_decoder` in a page.
export { StringDecoder } from 'string_decoder';
