// For devices that cannot run over nothing: a batch that scores no token, or asks for no value, does so at its first position.
import type { TokenBatch } from './token-batches.js';

/** Returns the batch with one position of weight 0 in place of no scored positions, and in place of no valued ones. */
export function withoutEmptyRows(batch: TokenBatch): TokenBatch {
  const scored = batch.scoredPositions.length > 0 ? {} : nothingScored;
  const valued = batch.valuePositions.length > 0 ? {} : nothingValued;
  return { ...batch, ...scored, ...valued };
}

const nothingScored = {
  scoredPositions: Int32Array.of(0),
  targets: Int32Array.of(0),
  weights: Float32Array.of(0),
  entropyWeights: Float32Array.of(0),
  tokenMasks: undefined,
};
const nothingValued = { valuePositions: Int32Array.of(0), valueWeights: Float32Array.of(0) };
