// Shares one array among equal token masks: most positions have one of a few, of 20 kB each for a large vocabulary.
import type { TokenMask } from '@bowyer/core';

/** The most masks in the pool; when it is full, it is emptied. */
const MOST_KEPT = 4096;

export class MaskPool {
  /** The masks by a hash of their content, an array of 32-bit integers. */
  #kept = new Map<number, TokenMask[]>();
  #size = 0;

  /** Returns an equal mask that is already in the pool, or adds the mask and returns it. */
  same(mask: TokenMask): TokenMask {
    const hash = hashOf(mask);
    const known = this.#kept.get(hash)?.find((other) => isEqual(other, mask));
    if (known) return known;
    if (this.#size++ === MOST_KEPT) {
      this.#kept = new Map();
      this.#size = 1;
    }
    this.#kept.set(hash, [...(this.#kept.get(hash) ?? []), mask]);
    return mask;
  }
}

/** The FNV-1a hash of 32-bit integers. Source: Fowler, Noll and Vo, http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(mask: TokenMask): number {
  let hash = 0x811c9dc5;
  for (let word = 0; word < mask.length; word++) hash = Math.imul(hash ^ mask[word], 0x01000193);
  return hash;
}

function isEqual(a: TokenMask, b: TokenMask): boolean {
  if (a.length !== b.length) return false;
  for (let word = 0; word < a.length; word++) if (a[word] !== b[word]) return false;
  return true;
}
