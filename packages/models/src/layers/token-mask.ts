// A choice among the tokens of a mask: the softmax over these alone, in one form for sampling, scoring and training.
import type { GraphBuilder, Value } from '@bowyer/graph';

/** Logit of a token that the mask leaves out: below those of padding and of what rules forbid, divided by any temperature still finite. */
export const LEFT_OUT = -1e25;

/** Counts the bytes of a mask. */
export const maskBytes = (vocabSize: number): number => Math.ceil(vocabSize / 8);

/**
 * Adds to logits what the bits of a mask say: 0, or `LEFT_OUT`, beside which the logit itself is lost to rounding. Eight bits are
 * looked up at a time, in a table of all bytes.
 *
 * @param logits [rows, vocabulary]
 * @param masks uint8 [rows, ⌈vocabulary / 8⌉], of which bit i % 8 of byte ⌊i / 8⌋ is token i
 */
export function logitsAmong(g: GraphBuilder, logits: Value, masks: Value): Value {
  const vocabulary = logits.dim(1) as number;
  const width = 8 * maskBytes(vocabulary);
  const eights = g.gather(g.constant(byteTable(), [256, 8]), g.cast(masks, 'int32'), 0);
  const biases = g.reshape(eights, [logits.dim(0), width]);
  return g.add(logits, width === vocabulary ? biases : g.slice(biases, 1, 0, vocabulary));
}

/** Makes the table [256, 8] of what the bits of each byte, the lowest first, add to logits. */
function byteTable(): Float32Array {
  return Float32Array.from({ length: 256 * 8 }, (_, i) => (((i >> 3) >> (i & 7)) & 1 ? 0 : LEFT_OUT));
}
