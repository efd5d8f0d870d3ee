// Represents sets of tokens as bits, and converts them to a form for JSON lines.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { maximum } from './statistics.js';

/** A set of tokens: token i is bit i % 32 of word ⌊i / 32⌋; tokens beyond the last word are not in the set. */
export type TokenMask = Uint32Array;

export const isAllowed = (mask: TokenMask, id: number): boolean => (((mask[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1;

export function tokenMaskOf(ids: readonly number[]): TokenMask {
  const mask = new Uint32Array((maximum(ids) >>> 5) + 1);
  for (const id of ids) mask[id >>> 5] |= 1 << (id & 31);
  return mask;
}

/** The masks of a record, without repetition: each mask's words in this machine's byte order, compressed, in base64. */
export interface PackedMasks {
  masks: string[];
  /** [tokens] the index in `masks`; −1: no mask. */
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

/** Returns a mask per token; equal masks are the same array. */
export function unpackMasks({ masks, of }: PackedMasks): (TokenMask | null)[] {
  const distinct = masks.map((text) => {
    const bytes = Uint8Array.from(inflateRawSync(Buffer.from(text, 'base64'))); // in a new buffer, from offset 0
    return new Uint32Array(bytes.buffer);
  });
  return of.map((index) => distinct[index] ?? null);
}
