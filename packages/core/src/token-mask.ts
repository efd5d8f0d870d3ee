// Sets of tokens as bits, and such sets in lines of JSON.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { maximum } from './statistics.js';

/** A set of tokens: bit i % 32 of word ⌊i / 32⌋ is token i, and tokens beyond the words are left out. */
export type TokenMask = Uint32Array;

export const isAllowed = (mask: TokenMask, id: number): boolean => (((mask[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1;

/** Returns the mask of some tokens. */
export function tokenMaskOf(ids: readonly number[]): TokenMask {
  const mask = new Uint32Array((maximum(ids) >>> 5) + 1);
  for (const id of ids) mask[id >>> 5] |= 1 << (id & 31);
  return mask;
}

/** Masks in a record: each once, its words in the order of this machine's bytes, compressed and in base64. */
export interface PackedMasks {
  masks: string[];
  /** Which of `masks` each token has; −1: none. */
  of: number[];
}

export function packMasks(masks: readonly (TokenMask | null)[]): PackedMasks {
  const distinct = new Map<string, number>();
  const byMask = new Map<TokenMask, number>();
  const indexOf = (mask: TokenMask) => {
    const text = deflateRawSync(new Uint8Array(mask.buffer, mask.byteOffset, mask.byteLength)).toString('base64');
    const index = distinct.get(text) ?? distinct.size;
    distinct.set(text, index);
    byMask.set(mask, index);
    return index;
  };
  const of = masks.map((mask) => (mask === null ? -1 : (byMask.get(mask) ?? indexOf(mask))));
  return { masks: [...distinct.keys()], of };
}

/**
 * Unpacks masks.
 *
 * @returns equal masks as one array
 */
export function unpackMasks({ masks, of }: PackedMasks): (TokenMask | null)[] {
  const distinct = masks.map((text) => {
    const bytes = Uint8Array.from(inflateRawSync(Buffer.from(text, 'base64'))); // from the beginning of its own memory
    return new Uint32Array(bytes.buffer);
  });
  return of.map((index) => distinct[index] ?? null);
}
