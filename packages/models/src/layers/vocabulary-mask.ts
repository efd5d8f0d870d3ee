// Masks tokens that the policy must never generate (padding, and tokens that only the environment writes): their probability is 0
// in sampling, scoring and training.
import type { GraphBuilder, Value } from '@bowyer/graph';

/** The number that is added to masked logits. It is finite, so that differences of masked logits are finite; its exp is 0. */
const MASKED = -1e9;

/** Masks logits [rows, vocabulary], in float32 on every device, so that everything computed from logits is in float32. */
export function maskedLogits(g: GraphBuilder, raw: Value, maskedTokenIds: readonly number[]): Value {
  const logits = g.inFloat32(raw);
  if (maskedTokenIds.length === 0) return logits;
  const vocabulary = logits.dim(1) as number;
  const bias = new Float32Array(vocabulary);
  for (const id of maskedTokenIds) {
    if (!Number.isInteger(id) || id < 0 || id >= vocabulary)
      throw new RangeError(`maskedTokenIds: ${id} is not a token id; the vocabulary has ${vocabulary} tokens`);
    bias[id] = MASKED;
  }
  return g.add(logits, g.constant(bias, [vocabulary]));
}
