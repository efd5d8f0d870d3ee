// Tokens that the policy must never generate (padding, the environment's own words): probability 0 wherever logits are used.
import type { GraphBuilder, Value } from '@bowyer/graph';

/** Finite, so that a masked logit stays finite through every difference; exp of it is 0. */
const MASKED = -1e9;

/** Masks logits, in float32, as is all that follows from them. @param raw [rows, vocabulary] */
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
