// Restricts the softmax to the tokens that a constraint allows, by the same operations in sampling, scoring and training.
import type { GraphBuilder, Value } from '@bowyer/graph';

/** The logit of tokens outside the mask: below those of padding and forbidden tokens; finite even divided by the temperature. */
export const LEFT_OUT = -1e25;

/** Returns the number of bytes of a mask with one bit per token. */
export const maskBytes = (vocabSize: number): number => Math.ceil(vocabSize / 8);

/**
 * Adds 0 to the logits of tokens in the mask and `LEFT_OUT` to the others, whose own logits are then lost to rounding. Eight bits at a
 * time are looked up in a table of all bytes.
 *
 * @param logits [rows, vocabulary]
 * @param masks uint8 [rows, ⌈vocabulary / 8⌉]; token i is bit i % 8 of byte ⌊i / 8⌋
 */
export function logitsAmong(g: GraphBuilder, logits: Value, masks: Value): Value {
  const vocabulary = logits.dim(1) as number;
  const width = 8 * maskBytes(vocabulary);
  const eights = g.gather(g.constant(byteTable(), [256, 8]), g.cast(masks, 'int32'), 0);
  const biases = g.reshape(eights, [logits.dim(0), width]);
  return g.add(logits, width === vocabulary ? biases : g.slice(biases, 1, 0, vocabulary));
}

/** Makes the table [256, 8] of the numbers that the bits of each byte, the lowest first, add to logits. */
function byteTable(): Float32Array {
  return Float32Array.from({ length: 256 * 8 }, (_, i) => (((i >> 3) >> (i & 7)) & 1 ? 0 : LEFT_OUT));
}
