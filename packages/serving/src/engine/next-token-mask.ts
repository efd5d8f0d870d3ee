// Which tokens a constrained answer may continue with, in sampling and in training alike.
import type { TokenMask } from '@bowyer/core';
import type { TokenConstraint } from '@bowyer/text';

export interface MaskOptions {
  /** Tokens that the answer may still have, the one that ends it included. */
  left: number;
  /** They are allowed where the text may end. */
  terminatorIds: readonly number[];
  vocabSize: number;
}

export function nextTokenMask(constraint: TokenConstraint, { left, terminatorIds, vocabSize }: MaskOptions): TokenMask {
  const mask = new Uint32Array(Math.ceil(vocabSize / 32));
  constraint.allowed(mask, left);
  for (const id of terminatorIds) {
    const bit = 1 << (id & 31);
    mask[id >>> 5] = constraint.canEnd ? mask[id >>> 5] | bit : mask[id >>> 5] & ~bit;
  }
  return mask;
}
