// Replaces the module `node:zlib` when Bowyer runs in a web page.
import { Buffer } from 'buffer';
import {
  deflateSync as deflateRaw,
  gunzipSync as gunzipBytes,
  gzipSync as gzipBytes,
  inflateSync as inflateRaw,
} from 'fflate';

type Done = (error: Error | null, bytes?: Buffer) => void;
const later =
  (work: (bytes: Uint8Array) => Buffer) =>
  (bytes: Uint8Array, ...rest: unknown[]): void => {
    const done = rest.at(-1) as Done;
    try {
      done(null, work(bytes));
    } catch (error) {
      done(error as Error);
    }
  };

export const gunzipSync = (bytes: Uint8Array): Buffer => Buffer.from(gunzipBytes(bytes));
export const gzipSync = (bytes: Uint8Array): Buffer => Buffer.from(gzipBytes(bytes));
export const inflateRawSync = (bytes: Uint8Array): Buffer => Buffer.from(inflateRaw(bytes));
export const deflateRawSync = (bytes: Uint8Array): Buffer => Buffer.from(deflateRaw(bytes));
export const gunzip = later(gunzipSync);
export const gzip = later(gzipSync);
export const constants = {};

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xed_b8_83_20 : value >>> 1;
  return value;
});

/** @param before the CRC-32 of the data that come before */
export function crc32(data: string | Uint8Array, before = 0): number {
  let value = ~before;
  for (const byte of typeof data === 'string' ? new TextEncoder().encode(data) : data)
    value = (value >>> 8) ^ table[(value ^ byte) & 255]!;
  return ~value >>> 0;
}

export function createGunzip(): never {
  throw new Error('a page reads no compressed streams; unpack the file first');
}

export default { crc32, constants, createGunzip, deflateRawSync, gunzip, gunzipSync, gzip, gzipSync, inflateRawSync };
