// Replaces the module `node:string_decoder` when Bowyer runs in a web page.
export { StringDecoder } from 'string_decoder';
