// Replaces the module `node:crypto` when Bowyer runs in a web page: it has hashes, and the browser's random numbers.
import { hmac } from '@noble/hashes/hmac.js';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { Buffer } from 'buffer';

const hashes = { md5, sha1, sha256, sha512 };
const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === 'string' ? new TextEncoder().encode(data) : data;

interface Digest {
  update(data: string | Uint8Array): Digest;
  digest(): Buffer;
  digest(encoding: 'hex' | 'base64' | 'base64url'): string;
}

function digestOf(state: { update(data: Uint8Array): unknown; digest(): Uint8Array }): Digest {
  const digest: Digest = {
    update(data) {
      state.update(bytesOf(data));
      return digest;
    },
    digest: ((encoding?: 'hex' | 'base64' | 'base64url') => {
      const bytes = Buffer.from(state.digest());
      if (encoding === undefined) return bytes;
      if (encoding !== 'base64url') return bytes.toString(encoding);
      return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    }) as Digest['digest'],
  };
  return digest;
}

export const createHash = (name: keyof typeof hashes): Digest => digestOf(hashes[name].create());
export const createHmac = (name: keyof typeof hashes, key: string | Uint8Array): Digest =>
  digestOf(hmac.create(hashes[name], bytesOf(key)));
export const randomBytes = (size: number): Buffer => Buffer.from(crypto.getRandomValues(new Uint8Array(size)));
/** Returns a random integer from `low` to `high - 1`; with one argument, from 0 to `low - 1`. */
export const randomInt = (low: number, high?: number): number => {
  const [from, to] = high === undefined ? [0, low] : [low, high];
  return from + Math.floor((randomBytes(6).readUIntBE(0, 6) / 2 ** 48) * (to - from));
};
export const randomUUID = (): string => crypto.randomUUID();
export const timingSafeEqual = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, i) => byte === b[i]);
export default { createHash, createHmac, randomBytes, randomInt, randomUUID, timingSafeEqual };
