// Computes the mask of the next tokens that the grammar of an answer allows, for sampling and for training.
import type { TokenMask } from '@bowyer/core';
import type { TokenConstraint } from '@bowyer/text';

export interface MaskOptions {
  /** The number of tokens that the answer may still have, the end token included. */
  left: number;
  /** The ids of end tokens, which the mask allows where the grammar lets the text end. */
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
