// Replaces the module `node:v8` when Bowyer runs in a web page: it serializes values.
import { Buffer } from 'buffer';
import { Packr } from 'msgpackr';

const packr = new Packr({ structuredClone: true });
export const serialize = (value: unknown): Buffer => Buffer.from(packr.pack(value));
export const deserialize = (bytes: Uint8Array): unknown => packr.unpack(bytes);
export default { deserialize, serialize };
