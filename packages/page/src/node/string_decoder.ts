// Replaces the module `node:string_decoder` when the program runs in a web page.
export { StringDecoder } from 'string_decoder';
