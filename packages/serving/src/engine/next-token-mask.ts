// Computes the mask of the tokens with which a constrained answer may continue, for sampling and training.
import type { TokenMask } from '@bowyer/core';
import type { TokenConstraint } from '@bowyer/text';

export interface MaskOptions {
  /** The number of tokens that may still follow, the end token included. */
  left: number;
  /** End tokens, which are allowed where the text may end. */
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
